/** Shows a result file: an image beside its original, or a favicon pack. */
import type { ComponentChildren } from 'preact';
import { Spinner } from '../../../ui/feedback.tsx';
import { saveFile } from '../../../ui/files.ts';
import type { DisplayedImage } from '../../../ui/image.ts';
import { Compare, FaviconPreview } from '../../../ui/lazy-components.tsx';
import { useImage } from '../../../ui/use-image.ts';
import type { CompletedRun } from '../use-run.ts';
import { formatText } from './labels.ts';
import { Summary } from './summary.tsx';

export interface FileResultProps {
  done: CompletedRun;
  /** The source image. */
  before: DisplayedImage | undefined | null;
  onUse(file: File): void;
  /** Additional actions. */
  children?: ComponentChildren;
}

export function FileResult({ done: { asked, answer }, before, onUse, children }: FileResultProps) {
  const isPack = asked.operation.answers === 'zip';
  const after = useImage(isPack ? undefined : answer.body);
  const { body, name } = answer;
  return (
    <>
      <Summary done={{ asked, answer }} />
      <div class="row actions">
        <button type="button" class="primary" onClick={() => saveFile(body, name)}>
          Download {name}
        </button>
        {!isPack && (
          <button type="button" onClick={() => onUse(new File([body], name, { type: body.type }))}>
            Use result as source
          </button>
        )}
        {children}
      </div>
      {isPack ? <FaviconPreview pack={body} /> : <ImageResult {...{ done: { asked, answer }, before, after }} />}
    </>
  );
}

interface ShownProps extends Pick<FileResultProps, 'done' | 'before'> {
  after: DisplayedImage | undefined | null;
}

function ImageResult({ done: { asked, answer }, before, after }: ShownProps) {
  if (before === null || after === null) return <Spinner label="Loading the images" />;
  if (!after)
    return (
      <p class="card">
        This browser cannot show {formatText(answer.facts.format ?? 'this format')}. Download the file to look at it.
      </p>
    );
  if (before) return <Compare before={{ ...before, label: 'Original' }} after={{ ...after, label: 'Result' }} />;
  return (
    <figure class="alone">
      <img src={after.url} alt="Result" width={after.width} height={after.height} />
      <figcaption class="help">
        {asked.source.kind === 'url'
          ? 'The service has fetched the original; this page shows the result alone.'
          : 'This browser cannot show the original, so here is the result alone.'}
      </figcaption>
    </figure>
  );
}
