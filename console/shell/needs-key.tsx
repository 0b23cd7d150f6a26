import type { ComponentChildren } from 'preact';
import { isRejected, key } from './key.ts';
import { KeyForm } from './key-form.tsx';

/**
 * Shows its content once there is a key. Shows the form for a key while there is none, or if the service refuses it.
 */
export function NeedsKey({ children }: { children: ComponentChildren }) {
  const isWanted = key.value === undefined || isRejected.value;
  return (
    <>
      {isWanted && (
        <section class="card needs-key">
          <h2>{isRejected.value ? 'Another key is needed' : 'First, your key'}</h2>
          {isRejected.value && (
            <p role="alert">
              The service does not accept the key of this browser: it is unknown, has expired or was revoked.
            </p>
          )}
          <KeyForm />
        </section>
      )}
      {key.value !== undefined && children}
    </>
  );
}
