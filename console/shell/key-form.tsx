import { useState } from 'preact/hooks';
import { FieldError, Form } from '../ui/fields.tsx';
import { isKey, storeKey } from './key.ts';

/** A field for the key. A pasted key with a valid form is accepted immediately. */
export function KeyForm({ onKept = () => {} }: { onKept?: () => void }) {
  const [text, setText] = useState('');
  const [isWrong, setWrong] = useState(false);
  const take = (value: string) => {
    if (!isKey(value)) return setWrong(value.trim() !== '');
    storeKey(value);
    setText('');
    onKept();
  };
  return (
    <Form class="key-form" onSubmit={() => take(text)}>
      <label>
        Paste your key
        <input
          type="password"
          autocomplete="off"
          spellcheck={false}
          placeholder="ic_live_…"
          value={text}
          aria-invalid={isWrong}
          aria-describedby="key-help"
          onInput={({ currentTarget: { value } }) => {
            setText(value);
            setWrong(false);
          }}
          onPaste={(event) => {
            event.preventDefault();
            const pasted = event.clipboardData?.getData('text') ?? '';
            setText(pasted.trim());
            take(pasted);
          }}
        />
      </label>
      <button type="submit" class="primary">
        Use it
      </button>
      {isWrong && <FieldError>A key begins with ic_live_ or ic_test_.</FieldError>}
      <p id="key-help" class="help">
        The service printed it when it was started first. It is kept in this browser and sent to this service alone.
        Lost it? <code>imagecrew admin key create --account default</code>
      </p>
    </Form>
  );
}
