import { useEffect, useRef, useState } from 'preact/hooks';
import { api } from '../../../shell/key.ts';
import { Notice } from '../../../ui/feedback.tsx';
import { fetchFile } from '../../../ui/fetch-file.ts';
import { bytesText } from '../../../ui/format.ts';
import { saveFile } from '../../../ui/save-file.ts';

export interface SaveButtonProps {
  path: string;
  filename: string;
  /** Names the file in the button's label. */
  what: string;
  isPrimary?: boolean;
}

/** Downloads a file of the service. A plain link cannot send the key. */
export function SaveButton({ path, filename, what, isPrimary = false }: SaveButtonProps) {
  const [bytes, setBytes] = useState<{ done: number; total: number | undefined }>();
  const [error, setError] = useState<unknown>();
  const running = useRef<AbortController | null>(null);
  useEffect(() => () => running.current?.abort(), []);
  const save = async () => {
    const abort = new AbortController();
    running.current = abort;
    setError(undefined);
    setBytes({ done: 0, total: undefined });
    try {
      const onBytes = (done: number, total: number | undefined) => setBytes({ done, total });
      saveFile(await fetchFile(api.value, path, { signal: abort.signal, onBytes }), filename);
    } catch (reason) {
      if (!abort.signal.aborted) setError(reason);
    } finally {
      setBytes(undefined);
    }
  };
  const text = isPrimary ? `Download ${what}` : 'Download';
  return (
    <span class="save">
      {bytes === undefined ? (
        <button
          type="button"
          class={isPrimary ? 'primary' : undefined}
          aria-label={isPrimary ? undefined : `Download ${what}`}
          onClick={() => void save()}
        >
          {text}
        </button>
      ) : (
        <button type="button" onClick={() => running.current?.abort()}>
          {bytesText(bytes.done)}
          {bytes.total !== undefined && ` of ${bytesText(bytes.total)}`} · Stop
        </button>
      )}
      {error !== undefined && <Notice error={error} />}
    </span>
  );
}
