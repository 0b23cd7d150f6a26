/** Shows the result of a dry run. */
import type { PipelinePlan } from '../../../client/types.generated.ts';
import { Notice, Tag } from '../../ui/feedback.tsx';
import { bytesText, changeText } from '../../ui/format.ts';
import { StepTable } from './step-table.tsx';

const BASIS = {
  exact: 'The source is kept as it is.',
  target: 'The target size decides.',
  estimate: 'An estimate from many such pictures.',
} as const;

export function PlanView({ plan: { source, steps, result, quota, warnings } }: { plan: PipelinePlan }) {
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
          {result.format} · {sizeText(result)} · about {bytesText(bytes)}
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
      {warnings.map((warning) => (
        <Notice key={warning} kind="warning">
          {warning}
        </Notice>
      ))}
      <StepTable label="Steps of the dry run" steps={steps} />
    </div>
  );
}

function sizeText({ width, height }: { width: number | null; height: number | null }): string {
  return width === null || height === null ? 'size seen when it runs' : `${width} × ${height}`;
}
