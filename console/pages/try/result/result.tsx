import type { DisplayedImage } from '../../../ui/image.ts';
import { Table } from '../../../ui/table.tsx';
import { RecordResult } from '../records/record-result.tsx';
import type { CompletedRun } from '../use-run.ts';
import { FileResult } from './file-result.tsx';
import { MaskCorrection } from './mask-correction.tsx';
import type { OperationResponse } from './response.ts';

export interface ResultProps {
  done: CompletedRun;
  /** The source image. */
  image: DisplayedImage | undefined | null;
  /** The settings have changed since this result. */
  isStale: boolean;
  /** A newer result is being computed. */
  isBusy: boolean;
  onUse(file: File): void;
  onMask(mask: File): void;
}

export function Result({ done, image, isStale, isBusy, onUse, onMask }: ResultProps) {
  const { asked, answer } = done;
  const isCutOut = asked.operation.id === 'remove-background' && asked.values.mask !== true;
  return (
    <section class="result" aria-label="Result" aria-busy={isBusy}>
      <h2 class="hidden">Result</h2>
      {isStale && !isBusy && <p class="stale">The settings have changed since. Run again to see what they do.</p>}
      {answer.record ? (
        <RecordResult done={done} image={image} />
      ) : (
        <FileResult done={done} before={image} onUse={onUse}>
          {isCutOut && image && <MaskCorrection {...{ asked, image, onMask }} />}
        </FileResult>
      )}
      <Headers answer={answer} />
    </section>
  );
}

/** Lists all headers of the response. */
function Headers({ answer: { headers } }: { answer: OperationResponse }) {
  return (
    <details class="headers">
      <summary>All {headers.length} headers of the answer</summary>
      <Table
        label="Headers of the answer"
        columns={['Header', 'Value']}
        rows={headers.map((header) => header.map((text) => <code key={text}>{text}</code>))}
      />
    </details>
  );
}
