/** Lists the keys of the account, and creates, changes and revokes them. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { api } from '../../shell/key.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Notice, Spinner } from '../../ui/feedback.tsx';
import { useData } from '../../ui/use-loaded.ts';
import { KeyEditor } from './key-editor.tsx';
import { KeyTable } from './key-table.tsx';
import { NeedsAdmin } from './needs-admin.tsx';
import { NewKey } from './new-key.tsx';
import type { Key, Usage } from './records.ts';
import { RevokeKey } from './revoke-key.tsx';

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
