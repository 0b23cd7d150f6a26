/** Shows the result of a run beside its source image. */
import type { PipelinePlan, StoredResult } from '../../../client/types.generated.ts';
import { Notice, Spinner, Tag, Warnings } from '../../ui/feedback.tsx';
import { saveFile } from '../../ui/files.ts';
import { bytesText, changeText } from '../../ui/format.ts';
import { Compare } from '../../ui/lazy-components.tsx';
import { Table } from '../../ui/table.tsx';
import { useImage } from '../../ui/use-image.ts';
import { opName, reasonText } from './labels.ts';
import { OutputTable } from './output-table.tsx';

export function RunResult({ result, file, source }: { result: StoredResult; file: Blob; source: File }) {
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
      <Warnings texts={warnings} />
      <Comparison before={source} after={file} />
      {steps && <StepTable label="Steps of the run" steps={steps} />}
    </div>
  );
}

function Comparison({ before, after }: { before: Blob; after: Blob }) {
  const original = useImage(before);
  const result = useImage(after);
  if (original === null || result === null) return <Spinner label="Drawing" />;
  if (!original || !result) return <Notice>This browser cannot show both files. The result can be downloaded.</Notice>;
  return <Compare before={{ ...original, label: 'Original' }} after={{ ...result, label: 'Result' }} />;
}

interface StepRow {
  /** Starts at 1. */
  index: number;
  op: string;
  /** Why the step is skipped. */
  reason: string | null;
  width: number | null;
  height: number | null;
  duration_ms?: number;
}

/** Shows what each step did, or would do. */
export function StepTable({ label, steps }: { label: string; steps: readonly StepRow[] }) {
  const hasTimes = steps.some(({ duration_ms: ms }) => ms !== undefined);
  return (
    <Table
      label={label}
      columns={['Step', 'Done', 'Size after it', ...(hasTimes ? ['Time'] : [])]}
      rows={steps.map(({ index, op, reason, width, height, duration_ms: ms }) => [
        `${index} ${opName(op)}`,
        reason === null ? <Tag kind="success">yes</Tag> : `no: ${reasonText(reason)}`,
        width === null || height === null ? 'depends on the image' : `${width} × ${height}`,
        ...(hasTimes ? [reason === null && `${ms} ms`] : []),
      ])}
    />
  );
}

const BASIS = {
  exact: 'The source is kept as it is.',
  target: 'The target size decides.',
  estimate: 'An estimate from many such images.',
} as const;

export function PlanView({ plan: { source, steps, result, outputs, quota, warnings } }: { plan: PipelinePlan }) {
  const { predicted_bytes: bytes, predicted_min_bytes: least, predicted_max_bytes: most } = result;
  return (
    <div class="outcome">
      <h3>What it would do</h3>
      <p class="figures">
        <span>
          {source.format} · {source.width} × {source.height} · {bytesText(source.bytes)}
        </span>
        <span aria-hidden="true">→</span>
        <strong>
          {result.format} · {outputs ? `${outputs.length} images` : sizeText(result)} · about {bytesText(bytes)}
        </strong>
        <Tag kind={bytes <= source.bytes ? 'success' : 'warning'}>{changeText(source.bytes, bytes)}</Tag>
      </p>
      <p class="help">
        {least === most ? '' : `Most likely between ${bytesText(least)} and ${bytesText(most)}. `}
        {BASIS[result.basis]}
        {result.filename !== null && ` The file would be named ${result.filename}.`} Running it counts as{' '}
        {quota.requests === 0 ? 'no request' : '1 request'}
        {quota.ai > 0 && ' and 1 AI request'}.
      </p>
      <Warnings texts={warnings} />
      {outputs && <OutputTable label="Results of the dry run" outputs={outputs.map(plannedRow)} />}
      <StepTable label="Steps of the dry run" steps={steps} />
    </div>
  );
}

const plannedRow = ({ filename, predicted_bytes: bytes, ...output }: NonNullable<PipelinePlan['outputs']>[number]) => ({
  ...output,
  filename: filename ?? 'named when it runs',
  bytes: `about ${bytesText(bytes)}`,
});

const sizeText = ({ width, height }: { width: number | null; height: number | null }): string =>
  width === null || height === null ? 'size seen when it runs' : `${width} × ${height}`;
