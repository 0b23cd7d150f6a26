/** Shows the files chosen for a new job. */
import { useEffect, useState } from 'preact/hooks';
import { Notice } from '../../ui/feedback.tsx';
import { FileDrop } from '../../ui/file-drop.tsx';
import { bytesText } from '../../ui/format.ts';

interface ChosenFilesProps {
  files: readonly File[];
  most: number;
  onFiles(files: readonly File[]): void;
}

export function ChosenFiles({ files, most, onFiles }: ChosenFilesProps) {
  const [leftOut, setLeftOut] = useState(0);
  const add = (more: readonly File[]) => {
    const all = [...files, ...more];
    setLeftOut(Math.max(0, all.length - most));
    onFiles(all.slice(0, most));
  };
  return (
    <>
      <FileDrop label="Choose images" multiple onFiles={add}>
        <p class="help">{most} at most.</p>
      </FileDrop>
      {leftOut > 0 && (
        <Notice kind="warning">
          A job takes {most} files. The last {leftOut} are left out; start another job for them.
        </Notice>
      )}
      {files.length > 0 && (
        <>
          <div class="row">
            <span class="help">
              {files.length === 1 ? '1 file' : `${files.length} files`},{' '}
              {bytesText(files.reduce((sum, { size }) => sum + size, 0))}
            </span>
            <button
              type="button"
              class="quiet"
              onClick={() => {
                setLeftOut(0);
                onFiles([]);
              }}
            >
              Remove all
            </button>
          </div>
          <ul class="chosen-files">
            {files.map((file, index) => (
              <ChosenFile
                key={`${file.name} ${file.lastModified} ${index}`}
                file={file}
                onRemove={() => {
                  setLeftOut(0);
                  onFiles(files.toSpliced(index, 1));
                }}
              />
            ))}
          </ul>
        </>
      )}
    </>
  );
}

function ChosenFile({ file, onRemove }: { file: File; onRemove(): void }) {
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    const made = URL.createObjectURL(file);
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [file]);
  return (
    <li>
      {url && <Thumbnail url={url} />}
      <span class="file-name">{file.name}</span>
      <span class="help">{bytesText(file.size)}</span>
      <button type="button" class="quiet" aria-label={`Remove ${file.name}`} onClick={onRemove}>
        ×
      </button>
    </li>
  );
}

/** Shows an empty box if the browser cannot show the format. */
export function Thumbnail({ url }: { url: string }) {
  const [isBroken, setBroken] = useState(false);
  if (isBroken) return <span class="thumbnail" />;
  return <img class="thumbnail" src={url} alt="" decoding="async" onError={() => setBroken(true)} />;
}
