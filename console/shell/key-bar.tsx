/** Shows the key in use and lets the user change it. */
import { useState } from 'preact/hooks';
import { Dialog } from '../ui/dialog.tsx';
import { isTestKey, key, storeKey } from './key.ts';
import { KeyForm } from './key-form.tsx';

export function KeyBar() {
  const [isOpen, setOpen] = useState(false);
  const close = () => setOpen(false);
  return (
    <>
      <button type="button" class={key.value ? 'quiet' : 'primary'} onClick={() => setOpen(true)}>
        {key.value ? <code>{maskKey(key.value)}</code> : 'Enter key'}
        {isTestKey.value && <span class="tag">test</span>}
      </button>
      <Dialog title="Key" isOpen={isOpen} onClose={close}>
        <KeyForm onKept={close} />
        {key.value && (
          <p>
            This browser has <code>{maskKey(key.value)}</code>.{' '}
            <button
              type="button"
              onClick={() => {
                storeKey(undefined);
                close();
              }}
            >
              Forget it
            </button>
          </p>
        )}
      </Dialog>
    </>
  );
}

const maskKey = (text: string): string => `${text.slice(0, 10)}…${text.slice(-4)}`;
