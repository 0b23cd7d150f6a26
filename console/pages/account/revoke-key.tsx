import { api, storeKey } from '../../shell/key.ts';
import { Choice } from '../../ui/dialog.tsx';
import { Notice } from '../../ui/feedback.tsx';
import { useAction } from '../../ui/use-latest.ts';
import type { Key } from './records.ts';

export interface RevokeKeyProps {
  of: Key;
  isInUse: boolean;
  onCancel(): void;
  onDone(key: Key): void;
}

/** Asks for confirmation, because revoking cannot be undone. */
export function RevokeKey({ of, isInUse, onCancel, onDone }: RevokeKeyProps) {
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
