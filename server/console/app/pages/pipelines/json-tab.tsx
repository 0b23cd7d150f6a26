/** Edits the pipeline as the JSON that the API accepts. The draft changes as soon as the text is a valid pipeline. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { Field } from '../../ui/fields.tsx';
import { draftOfText, textOf } from './draft.ts';
import { change, draft, keepWrongText, wrongText } from './draft-store.ts';

export function JsonTab() {
  const [text, setText] = useState(wrongText.value ?? textOf(draft.value));
  const [complaint, setComplaint] = useState(wrongText.value === undefined ? undefined : complaintOf(text));
  // The user may open or restore another pipeline while this tab is shown.
  const written = textOf(draft.value);
  const known = useRef(written);
  useEffect(() => {
    if (known.current === written) return;
    known.current = written;
    const next = wrongText.value ?? written;
    setText(next);
    setComplaint(complaintOf(next));
  }, [written]);
  const take = (next: string) => {
    setText(next);
    try {
      const read = draftOfText(next);
      known.current = textOf(read);
      change({ ...read, name: read.name || draft.value.name });
      setComplaint(undefined);
    } catch (error) {
      keepWrongText(next);
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

function complaintOf(text: string): string | undefined {
  try {
    draftOfText(text);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}
