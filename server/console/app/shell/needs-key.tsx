import type { ComponentChildren } from 'preact';
import { isRefused, key } from './key.ts';
import { KeyForm } from './key-form.tsx';

/** Its content, once there is a key; the form for one until then, and again where the service does not accept it. */
export function NeedsKey({ children }: { children: ComponentChildren }) {
  const isWanted = key.value === undefined || isRefused.value;
  return (
    <>
      {isWanted && (
        <section class="card needs-key">
          <h2>{isRefused.value ? 'Another key is needed' : 'First, your key'}</h2>
          {isRefused.value && (
            <p role="alert">
              The service does not accept the key of this browser: it is unknown, has ended or was revoked.
            </p>
          )}
          <KeyForm />
        </section>
      )}
      {key.value !== undefined && children}
    </>
  );
}
