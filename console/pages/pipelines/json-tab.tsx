/** Edits the pipeline as the JSON that the API accepts. The draft changes as soon as the text is a valid pipeline. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { Field } from '../../ui/fields.tsx';
import { parseDraft, toText } from './draft.ts';
import { change, draft, invalidText, keepInvalidText } from './draft-store.ts';

export function JsonTab() {
  const [text, setText] = useState(invalidText.value ?? toText(draft.value));
  const [complaint, setComplaint] = useState(invalidText.value === undefined ? undefined : validationError(text));
  // The user may open or restore another pipeline while this tab is shown.
  const written = toText(draft.value);
  const known = useRef(written);
  useEffect(() => {
    if (known.current === written) return;
    known.current = written;
    const next = invalidText.value ?? written;
    setText(next);
    setComplaint(validationError(next));
  }, [written]);
  const take = (next: string) => {
    setText(next);
    try {
      const read = parseDraft(next);
      known.current = toText(read);
      change({ ...read, name: read.name || draft.value.name });
      setComplaint(undefined);
    } catch (error) {
      keepInvalidText(next);
      setComplaint((error as Error).message);
    }
  };
  return (
    <Field
      label="Pipeline as JSON"
      help="What a request sends as pipeline. The steps follow what you type or paste."
      error={complaint}
    >
      {(described) => (
        <textarea
          {...described}
          class="json"
          rows={Math.max(12, Math.min(32, text.split('\n').length + 1))}
          spellcheck={false}
          value={text}
          onInput={({ currentTarget }) => take(currentTarget.value)}
        />
      )}
    </Field>
  );
}

function validationError(text: string): string | undefined {
  try {
    parseDraft(text);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}
