/** Shows the result of a run beside its source image. */
import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { StoredResult } from '../../../client/types.generated.ts';
import type { CompareProps } from '../../ui/compare/compare.tsx';
import { Notice, Spinner, Tag } from '../../ui/feedback.tsx';
import { bytesText, changeText } from '../../ui/format.ts';
import type { DisplayedImage } from '../../ui/image.ts';
import { loadImage } from '../../ui/load-image.ts';
import { saveFile } from '../../ui/save-file.ts';
import { StepTable } from './step-table.tsx';

interface RunResultProps {
  result: StoredResult;
  file: Blob;
  source: File;
}

export function RunResult({ result, file, source }: RunResultProps) {
  const { filename, format, width, height, original_bytes: before, bytes, warnings, steps } = result;
  return (
    <div class="outcome">
      <h3>The result</h3>
      <p class="figures" role="status">
        <span>{bytesText(before)}</span>
        <span aria-hidden="true">→</span>
        <strong>
          {format} · {width} × {height} · {bytesText(bytes)}
        </strong>
        <Tag kind={bytes <= before ? 'success' : 'warning'}>{changeText(before, bytes)}</Tag>
        <button type="button" onClick={() => saveFile(file, filename)}>
          Download {filename}
        </button>
      </p>
      {warnings.map((warning) => (
        <Notice key={warning} kind="warning">
          {warning}
        </Notice>
      ))}
      <Comparison before={source} after={file} />
      {steps && <StepTable label="Steps of the run" steps={steps} />}
    </div>
  );
}

interface Compared {
  Compare: ComponentType<CompareProps>;
  before: DisplayedImage;
  after: DisplayedImage;
}

function Comparison({ before, after }: { before: Blob; after: Blob }) {
  // Null if the browser cannot show one of the images.
  const [compared, setCompared] = useState<Compared | null>();
  useEffect(() => {
    let isGone = false;
    let pictures: (DisplayedImage | undefined)[] = [];
    const release = () => {
      for (const picture of pictures) if (picture) URL.revokeObjectURL(picture.url);
    };
    const show = async () => {
      const [{ Compare }, ...made] = await Promise.all([
        import('../../ui/compare/compare.tsx'),
        loadImage(before),
        loadImage(after),
      ]);
      pictures = made;
      if (isGone) return release();
      const [one, other] = made;
      setCompared(one && other ? { Compare, before: one, after: other } : null);
    };
    setCompared(undefined);
    void show();
    return () => {
      isGone = true;
      release();
    };
  }, [before, after]);
  if (compared === undefined) return <Spinner label="Drawing" />;
  if (compared === null) return <Notice>This browser cannot show both files. The result can be downloaded.</Notice>;
  const { Compare } = compared;
  return <Compare before={{ ...compared.before, label: 'Original' }} after={{ ...compared.after, label: 'Result' }} />;
}
