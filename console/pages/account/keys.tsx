/** Lists the keys of the account, and creates, changes and revokes them. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { api, storeKey } from '../../shell/key.ts';
import { CodeBlock } from '../../ui/code-block.tsx';
import { Choice, Dialog } from '../../ui/dialog.tsx';
import { Notice, Spinner } from '../../ui/feedback.tsx';
import { useAction } from '../../ui/use-latest.ts';
import { useData } from '../../ui/use-loaded.ts';
import { KeyEditor } from './key-editor.tsx';
import { KeyTable } from './key-table.tsx';
import { NeedsAdmin } from './needs-admin.tsx';
import type { Key, Usage } from './records.ts';

interface KeysProps {
  usage: Usage;
  /** Called when the key in use may have changed. */
  onChanged(): void;
}

export function Keys(props: KeysProps) {
  return (
    <NeedsAdmin usage={props.usage} what="Keys">
      <KeyList {...props} />
    </NeedsAdmin>
  );
}

type Open = { kind: 'create' } | { kind: 'change' | 'revoke'; key: Key };

function KeyList({ usage, onChanged }: KeysProps) {
  const { value, error, reload } = useData(
    (signal) => api.value.json<{ keys: Key[] }>('/api/v1/keys', { signal }),
    [api.value],
  );
  const [open, setOpen] = useState<Open>();
  const [created, setCreated] = useState<Key & { key: string }>();
  const [said, setSaid] = useState('');
  const [changes, setChanges] = useState(0);
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    // The button that opened the dialog may be gone, so focus cannot return to it.
    if (changes > 0) heading.current!.focus();
  }, [changes]);
  const close = () => setOpen(undefined);
  const done = (text: string) => {
    close();
    setSaid(text);
    reload();
    onChanged();
    setChanges((before) => before + 1);
  };
  return (
    <div class="stack">
      <div class="panel-title">
        <h2 ref={heading} tabIndex={-1}>
          Keys
        </h2>
        <button type="button" class="primary" onClick={() => setOpen({ kind: 'create' })}>
          New key
        </button>
      </div>
      {error !== undefined && <Notice error={error}>The keys could not be read.</Notice>}
      {created && <NewKey created={created} onClose={() => setCreated(undefined)} />}
      {said && <Notice kind="success">{said}</Notice>}
      {value ? (
        <KeyTable
          keys={value.keys}
          inUse={usage.key.id}
          onChange={(key) => setOpen({ kind: 'change', key })}
          onRevoke={(key) => setOpen({ kind: 'revoke', key })}
        />
      ) : (
        error === undefined && <Spinner label="Reading the keys" />
      )}
      <Dialog title="New key" isOpen={open?.kind === 'create'} onClose={close}>
        <KeyEditor
          onDone={(key) => {
            setCreated(key as Key & { key: string });
            done('');
          }}
        />
      </Dialog>
      <Dialog title="Change the key" isOpen={open?.kind === 'change'} onClose={close}>
        {open?.kind === 'change' && (
          <KeyEditor of={open.key} onDone={({ name }) => done(`The key “${name}” is changed.`)} />
        )}
      </Dialog>
      <Dialog title="Revoke the key?" isOpen={open?.kind === 'revoke'} onClose={close}>
        {open?.kind === 'revoke' && (
          <RevokeKey
            of={open.key}
            isInUse={open.key.id === usage.key.id}
            onCancel={close}
            onDone={({ name }) => done(`The key “${name}” is revoked.`)}
          />
        )}
      </Dialog>
    </div>
  );
}

/** Shows a key that was just created. The service cannot show it again. */
function NewKey({ created, onClose }: { created: Key & { key: string }; onClose(): void }) {
  const card = useRef<HTMLElement>(null);
  useEffect(() => card.current!.scrollIntoView({ block: 'nearest' }), [created.id]);
  return (
    <section ref={card} class="card new-key" aria-labelledby="new-key">
      <h3 id="new-key">The key “{created.name}” is made</h3>
      <p role="status">Copy it now: it is not stored and cannot be shown again.</p>
      <CodeBlock label="The new key" text={created.key} />
      <div class="row">
        <button
          type="button"
          onClick={() => {
            storeKey(created.key);
            onClose();
          }}
        >
          Use it here
        </button>
        <button type="button" class="quiet" onClick={onClose}>
          I have it
        </button>
      </div>
    </section>
  );
}

interface RevokeKeyProps {
  of: Key;
  isInUse: boolean;
  onCancel(): void;
  onDone(key: Key): void;
}

/** Asks for confirmation, because revoking cannot be undone. */
function RevokeKey({ of, isInUse, onCancel, onDone }: RevokeKeyProps) {
  const { isBusy, error, run } = useAction();
  const revoke = async () => {
    const revoked = await api.value.json<Key>(`/api/v1/keys/${of.id}`, { method: 'DELETE' });
    // The service refuses this key from now on.
    if (isInUse) storeKey(undefined);
    else onDone(revoked);
  };
  return (
    <>
      <p>
        <strong>{of.name}</strong> <code>{of.prefix}…</code> is refused from its next request on, for good.
      </p>
      {isInUse && (
        <Notice kind="warning">This browser uses this key. It will forget it, and ask you for another one.</Notice>
      )}
      {error !== undefined && <Notice error={error} />}
      <Choice
        {...{ isBusy, onCancel }}
        confirm={`Revoke ${of.name}`}
        cancel="Keep it"
        onConfirm={() => void run(revoke)}
      />
    </>
  );
}
