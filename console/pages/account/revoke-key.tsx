import { useState } from 'preact/hooks';
import { api, storeKey } from '../../shell/key.ts';
import { Notice } from '../../ui/feedback.tsx';
import type { Key } from './records.ts';

export interface RevokeKeyProps {
  of: Key;
  isInUse: boolean;
  onCancel(): void;
  onDone(key: Key): void;
}

/** Asks for confirmation, because revoking cannot be undone. */
export function RevokeKey({ of, isInUse, onCancel, onDone }: RevokeKeyProps) {
  const [isSending, setSending] = useState(false);
  const [error, setError] = useState<unknown>();
  const revoke = async () => {
    setSending(true);
    try {
      const revoked = await api.value.json<Key>(`/api/v1/keys/${of.id}`, { method: 'DELETE' });
      // The service refuses this key from now on.
      if (isInUse) storeKey(undefined);
      else onDone(revoked);
    } catch (failure) {
      setError(failure);
      setSending(false);
    }
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
      <div class="row">
        <button type="button" class="danger" aria-disabled={isSending} onClick={() => isSending || void revoke()}>
          Revoke {of.name}
        </button>
        <button type="button" onClick={onCancel}>
          Keep it
        </button>
      </div>
    </>
  );
}
