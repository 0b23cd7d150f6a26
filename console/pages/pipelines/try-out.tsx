/** Tests the pipeline on an image, as a dry run or for real. */
import { useSignal } from '@preact/signals';
import { useState } from 'preact/hooks';
import { ImagecrewError } from '../../../client/errors.ts';
import type { PipelinePlan, StoredOutputs, StoredResult } from '../../../client/types.generated.ts';
import { api } from '../../shell/key.ts';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { Spinner } from '../../ui/feedback.tsx';
import { FileDrop } from '../../ui/file-drop.tsx';
import { bytesText } from '../../ui/format.ts';
import { useLatestTask } from '../../ui/use-latest.ts';
import { isEmpty, needsWatermarkImage, toPipeline } from './draft.ts';
import { draft, fault } from './draft-store.ts';
import { LogoField } from './logo-field.tsx';
import { OutputsResult } from './outputs-result.tsx';
import { PlanView, RunResult } from './results.tsx';
import { toStepError } from './step-error.ts';

type Outcome =
  | { plan: PipelinePlan }
  | { result: StoredResult; file: Blob; source: File }
  | { several: StoredOutputs }
  | { error: unknown };

export function TryOut() {
  const image = useSignal<File | undefined>(undefined);
  const logo = useSignal<File | undefined>(undefined);
  const [shown, setShown] = useState<Outcome>();
  const [work, setWork] = useState<string>();
  const latest = useLatestTask();
  const { steps } = draft.value;
  const hasNothing = isEmpty(draft.value);

  const start = async (label: string, ask: (file: File, signal: AbortSignal) => Promise<Outcome>) => {
    const file = image.value;
    if (!file) return;
    setWork(label);
    fault.value = undefined;
    try {
      const next = await latest((signal) => ask(file, signal));
      if (next) setShown(next);
      else return;
    } catch (error) {
      // An error of a step is shown at that step, where it is more useful.
      const found = error instanceof ImagecrewError ? toStepError(error) : undefined;
      if (found?.step !== undefined && error instanceof ImagecrewError && error.code === 'invalid_pipeline') {
        fault.value = found;
        setShown(undefined);
      } else {
        if (found?.step !== undefined) fault.value = found;
        setShown({ error });
      }
    }
    setWork(undefined);
  };
  const bodyOf = (file: File) => {
    const body = new FormData();
    body.append('pipeline', JSON.stringify(toPipeline(draft.value)));
    body.append('image', file, file.name);
    if (logo.value && needsWatermarkImage(steps)) body.append('watermark_image', logo.value, logo.value.name);
    return body;
  };
  const dryRun = () =>
    start('Reading the image', async (file, signal) => {
      const call = { method: 'POST', query: { dry_run: true }, body: bodyOf(file), signal } as const;
      return { plan: await api.value.json<PipelinePlan>('/api/v1/pipeline', call) };
    });
  const run = () =>
    start('Running the steps', async (source, signal) => {
      const call = { method: 'POST', query: { output: 'json' }, body: bodyOf(source), signal } as const;
      const result = await api.value.json<StoredResult | StoredOutputs>('/api/v1/pipeline', call);
      if ('outputs' in result) return { several: result };
      const file = await (await api.value.send(`/api/v1/files/${result.id}`, { signal })).blob();
      return { result, file, source };
    });

  return (
    <section class="card try-out" aria-labelledby="try-out">
      <h2 id="try-out">Try it on an image</h2>
      {image.value ? (
        <p class="row">
          <span>
            <strong>{image.value.name}</strong> <span class="help">{bytesText(image.value.size)}</span>
          </span>
          <button
            type="button"
            class="quiet"
            onClick={() => {
              // Cancels the running request, which is about the previous image.
              void latest(async () => undefined);
              image.value = undefined;
              setShown(undefined);
              setWork(undefined);
            }}
          >
            Another image
          </button>
        </p>
      ) : (
        <FileDrop
          label="Choose an image"
          onFiles={([file]) => {
            image.value = file;
          }}
        />
      )}
      {needsWatermarkImage(steps) && <LogoField logo={logo} />}
      {image.value && (
        <div class="row">
          <button type="button" disabled={hasNothing} onClick={() => void dryRun()}>
            Dry run
          </button>
          <button type="button" class="primary" disabled={hasNothing} onClick={() => void run()}>
            Run it
          </button>
          <span class="help">
            {hasNothing ? 'Add a step first.' : 'A dry run reads the image’s header only, and is free.'}
          </span>
        </div>
      )}
      {work && <Spinner label={work} />}
      {!work && fault.value?.step !== undefined && (
        <p class="help" role="status">
          Step {fault.value.step + 1} needs a change; it says which.
        </p>
      )}
      {!work && shown && 'error' in shown && <ErrorNotice error={shown.error} />}
      {!work && shown && 'plan' in shown && <PlanView plan={shown.plan} />}
      {!work && shown && 'result' in shown && <RunResult {...shown} />}
      {!work && shown && 'several' in shown && <OutputsResult result={shown.several} />}
    </section>
  );
}
