/** Saves the pipeline under a name. Each save adds a version. */
import { useState } from 'preact/hooks';
import { ImagecrewError } from '../../../client/errors.ts';
import type { SavedPipeline } from '../../../client/types.generated.ts';
import { api } from '../../shell/key.ts';
import { to } from '../../shell/router.ts';
import { Choice, Dialog } from '../../ui/dialog.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { Notice } from '../../ui/feedback.tsx';
import { Form, SelectField, TextField } from '../../ui/fields.tsx';
import { timeText } from '../../ui/format.ts';
import { useAction } from '../../ui/use-latest.ts';
import { isEmpty, toDraft, toPipeline } from './draft.ts';
import { change, draft, fault, isUnchanged, markDeleted, markSaved, open, origin } from './draft-store.ts';
import { toStepError } from './step-error.ts';
import type { Pipelines } from './use-pipelines.ts';

export function SaveForm({ saved = [], reload }: Pipelines) {
  const { isBusy, error, run } = useAction();
  const [said, setSaid] = useState<string>();
  const { name, description, outputName } = draft.value;
  const same = saved.find((pipeline) => pipeline.name === name);

  const attempt = (work: () => Promise<string>) => {
    setSaid(undefined);
    fault.value = undefined;
    return run(async () => {
      setSaid(await work().catch(showAtStep));
      reload();
    });
  };
  const save = () =>
    attempt(async () => {
      const sent = draft.value;
      const body = JSON.stringify({ name: sent.name, pipeline: toPipeline(sent) });
      const headers = { 'Content-Type': 'application/json' };
      const kept = await api.value.json<SavedPipeline>('/api/v1/pipelines', { method: 'POST', headers, body });
      markSaved(sent, kept.version);
      return `Saved as ${kept.name}, version ${kept.version}.`;
    });

  return (
    <section class="card" aria-labelledby="save">
      <h2 id="save">Save it</h2>
      <Form onSubmit={() => isBusy || void save()}>
        <TextField
          label="Name"
          help={same ? `There is one of this name. Saving adds version ${same.version + 1} to it.` : undefined}
          value={name}
          error={error instanceof ImagecrewError && error.param === 'name' ? error.message : undefined}
          onValue={(text) => change({ ...draft.value, name: text })}
        />
        <TextField
          label="What it is for"
          value={description}
          onValue={(text) => change({ ...draft.value, description: text })}
        />
        <TextField
          label="Names of the results"
          placeholder="{name}.{ext}"
          help="{name}, {ext}, {format}, {width}, {height}, {index} and {date} are filled in."
          value={outputName}
          onValue={(text) => change({ ...draft.value, outputName: text })}
        />
        <div class="row">
          <button type="submit" class="primary" disabled={name === '' || isEmpty(draft.value)} aria-disabled={isBusy}>
            Save
          </button>
          <a class="button" href={jobAddress()}>
            Use it for a job
          </a>
          {same && (
            <DeleteButton
              pipeline={same}
              onDelete={() =>
                attempt(async () => {
                  const path = `/api/v1/pipelines/${encodeURIComponent(same.name)}`;
                  await api.value.json(path, { method: 'DELETE' });
                  markDeleted(same.name);
                  return `${same.name} is deleted. Its steps are still here.`;
                })
              }
            />
          )}
        </div>
      </Form>
      {same && same.versions > 1 && <Versions pipeline={same} run={run} />}
      {said && <Notice kind="success">{said}</Notice>}
      {error !== undefined && <ErrorNotice error={error} />}
    </section>
  );
}

/** Shows an error about a step at that step too. */
function showAtStep(error: unknown): never {
  const found = error instanceof ImagecrewError ? toStepError(error) : undefined;
  if (found?.step !== undefined) fault.value = found;
  throw error;
}

/**
 * Links to a new job. An unchanged saved pipeline is passed by name, so that the job shows the name. Any other pipeline
 * is passed as the draft.
 */
function jobAddress(): string {
  const from = origin.value;
  if (!from || !isUnchanged.value) return to(['jobs'], { pipeline: 'draft' });
  return to(['jobs'], { preset: from.name, ...(from.version === null ? {} : { version: String(from.version) }) });
}

function DeleteButton({ pipeline: { name, versions }, onDelete }: { pipeline: SavedPipeline; onDelete(): void }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" class="danger" onClick={() => setOpen(true)}>
        Delete
      </button>
      <Dialog title={`Delete ${name}?`} isOpen={isOpen} onClose={() => setOpen(false)}>
        <p>
          {versions === 1 ? 'It is' : `All ${versions} versions are`} gone then, and requests that name it are refused.
          Jobs that run already keep their steps.
        </p>
        <Choice
          confirm="Delete it"
          cancel="Keep it"
          onConfirm={() => {
            setOpen(false);
            onDelete();
          }}
          onCancel={() => setOpen(false)}
        />
      </Dialog>
    </>
  );
}

type VersionsProps = { pipeline: SavedPipeline } & Pick<ReturnType<typeof useAction>, 'run'>;

function Versions({ pipeline, run }: VersionsProps) {
  const { name, version, versions, updated_at: updated } = pipeline;
  const all = Array.from({ length: versions }, (_, index) => String(version - index));
  const opened = origin.value?.name === name ? String(origin.value.version) : '';
  const load = async (chosen: string) => {
    const path = `/api/v1/pipelines/${encodeURIComponent(name)}`;
    const found = await api.value.json<SavedPipeline>(path, { query: { version: chosen } });
    open(toDraft(found), { name, version: found.version });
  };
  return (
    <SelectField
      label={`Versions of ${name}`}
      help={`The latest is of ${timeText(updated)}.`}
      value={opened}
      options={[...(opened === '' ? [{ value: '', label: 'choose one to open' }] : []), ...all]}
      onValue={(chosen) => chosen !== '' && void run(() => load(chosen))}
    />
  );
}
