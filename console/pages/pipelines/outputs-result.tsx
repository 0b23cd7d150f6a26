/** Shows several results of a run, and the element that shows them on a page. */
import type { StoredOutputs } from '../../../client/types.generated.ts';
import { api } from '../../shell/key.ts';
import { Warnings } from '../../ui/feedback.tsx';
import { saveFile } from '../../ui/files.ts';
import { bytesText } from '../../ui/format.ts';
import { OutputTable } from './output-table.tsx';
import { StepTable } from './results.tsx';

export function OutputsResult({ result }: { result: StoredOutputs }) {
  const { outputs, markup, bytes, warnings, steps } = result;
  const download = async (id: string, filename: string) =>
    saveFile(await (await api.value.send(`/api/v1/files/${id}`)).blob(), filename);
  return (
    <div class="outcome">
      <h3>The results</h3>
      <p class="figures" role="status">
        <strong>
          {outputs.length} images · {bytesText(bytes)}
        </strong>
      </p>
      <Warnings texts={warnings} />
      <OutputTable
        label="Results of the run"
        outputs={outputs.map(({ id, filename, bytes: size, ...output }) => ({
          ...output,
          bytes: bytesText(size),
          filename: (
            <button type="button" class="quiet" onClick={() => void download(id, filename)}>
              {filename}
            </button>
          ),
        }))}
      />
      <h4>Markup</h4>
      <pre>
        <code>{markup}</code>
      </pre>
      <StepTable label="Steps of the run" steps={steps} />
    </div>
  );
}
