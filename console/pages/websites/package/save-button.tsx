import { useState } from 'preact/hooks';
import { api } from '../../../shell/key.ts';
import { Notice } from '../../../ui/feedback.tsx';
import { fetchFile, saveFile } from '../../../ui/files.ts';
import { bytesText } from '../../../ui/format.ts';
import { useAction } from '../../../ui/use-latest.ts';

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
  const { isBusy, error, run } = useAction();
  const save = async (signal: AbortSignal) => {
    const onBytes = (done: number, total: number | undefined) => setBytes({ done, total });
    onBytes(0, undefined);
    saveFile(await fetchFile(api.value, path, { signal, onBytes }), filename);
  };
  const stop = () => run(async () => {});
  const text = isPrimary ? `Download ${what}` : 'Download';
  return (
    <span class="save">
      {!isBusy || !bytes ? (
        <button
          type="button"
          class={isPrimary ? 'primary' : undefined}
          aria-label={isPrimary ? undefined : `Download ${what}`}
          onClick={() => void run(save)}
        >
          {text}
        </button>
      ) : (
        <button type="button" onClick={() => void stop()}>
          {bytesText(bytes.done)}
          {bytes.total !== undefined && ` of ${bytesText(bytes.total)}`} · Stop
        </button>
      )}
      {error !== undefined && <Notice error={error} />}
    </span>
  );
}
