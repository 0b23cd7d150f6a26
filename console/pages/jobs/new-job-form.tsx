/** The form that starts a job. It keeps its values when the service refuses the request. */
import { useSignal } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Job } from '../../../client/types.generated.ts';
import { api } from '../../shell/key.ts';
import { navigate, route, to } from '../../shell/router.ts';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { Spinner } from '../../ui/feedback.tsx';
import { Field, Form, SelectField, TextField } from '../../ui/fields.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { useAction } from '../../ui/use-latest.ts';
import { needsWatermarkImage, toPipeline } from '../pipelines/draft.ts';
import { draft } from '../pipelines/draft-store.ts';
import { LogoField } from '../pipelines/logo-field.tsx';
import { type Pipelines, usePipelines } from '../pipelines/use-pipelines.ts';
import { ChosenFiles } from './chosen-files.tsx';
import {
  buildRequest,
  type JobSteps,
  MAX_FILES,
  newIdempotencyKey,
  parseAddresses,
  retryAddresses,
} from './new-job.ts';

const TABS = [
  { id: 'files', title: 'Files' },
  { id: 'addresses', title: 'Addresses' },
] as const;
type Tab = (typeof TABS)[number]['id'];

export function NewJobForm() {
  const pipelines = usePipelines();
  const { query } = route.value;
  const [tab, setTab] = useState<Tab>(retryAddresses.value === '' ? 'files' : 'addresses');
  const [files, setFiles] = useState<readonly File[]>([]);
  const [text, setText] = useState(retryAddresses.value);
  const [webhookUrl, setWebhookUrl] = useState('');
  const [choice, setChoice] = useState(query.get('pipeline') === 'draft' ? DRAFT : presetValue(query.get('preset')));
  const version = query.get('preset') === nameOf(choice) ? (query.get('version') ?? undefined) : undefined;
  const logo = useSignal<File | undefined>(undefined);
  const { isBusy, error, run } = useAction();
  // A ref changes immediately. State would change at the next render, and a second click may come before that.
  const isSending = useRef(false);

  const chosen = toChosen(choice, version);
  const wantsLogo = needsWatermarkImage(stepsOf(choice, pipelines));
  const source = tab === 'files' ? ({ kind: 'files', files } as const) : ({ kind: 'addresses', text } as const);
  const count = tab === 'files' ? files.length : parseAddresses(text).length;
  const asked = { source, chosen, webhookUrl, logo: wantsLogo ? logo.value : undefined };
  const idempotencyKey = useIdempotencyKey([
    source.kind,
    files,
    text,
    choice,
    version,
    webhookUrl,
    logo.value,
    draft.value,
  ]);

  useEffect(() => {
    retryAddresses.value = '';
  }, []);

  const start = async () => {
    if (isSending.current || count === 0) return;
    isSending.current = true;
    await run(async (signal) => {
      const job = await api.value.json<Job>('/api/v1/jobs', { ...buildRequest(asked, idempotencyKey), signal });
      navigate(to(['jobs', job.id]));
    });
    isSending.current = false;
  };

  return (
    <Form class="card" aria-labelledby="new-job" onSubmit={() => void start()}>
      <h2 id="new-job">New job</h2>
      <Tabs label="Images from" tabs={TABS} selected={tab} onSelect={(id) => setTab(id)}>
        {tab === 'files' ? (
          <ChosenFiles files={files} most={MAX_FILES} onFiles={setFiles} />
        ) : (
          <AddressesField text={text} count={count} onText={setText} />
        )}
      </Tabs>
      <SelectField
        label="Action"
        help={helpOf(choice, version)}
        value={choice}
        options={optionsOf(pipelines, choice)}
        onValue={setChoice}
      />
      {wantsLogo && tab === 'files' && <LogoField logo={logo} />}
      <details class="more">
        <summary>Webhook</summary>
        <TextField
          label="Address of the webhook"
          help="The finished job is sent there, signed."
          type="url"
          placeholder="https://"
          value={webhookUrl}
          onValue={setWebhookUrl}
        />
      </details>
      {isBusy && <Spinner label={tab === 'files' ? 'Sending the images' : 'Starting'} />}
      {error !== undefined && <ErrorNotice error={error} />}
      <button type="submit" class="primary" disabled={count === 0} aria-disabled={isBusy}>
        {count === 0 ? 'Start the job' : `Start the job with ${count === 1 ? '1 image' : `${count} images`}`}
      </button>
    </Form>
  );
}

function AddressesField({ text, count, onText }: { text: string; count: number; onText(text: string): void }) {
  return (
    <Field label="Addresses of the images" help={`One a line, 100 at most. ${count} so far.`}>
      {(described) => (
        <textarea
          {...described}
          rows={6}
          spellcheck={false}
          placeholder="https://example.com/photo.jpg"
          value={text}
          onInput={({ currentTarget }) => onText(currentTarget.value)}
        />
      )}
    </Field>
  );
}

const NONE = 'none';
const DRAFT = 'draft';
const PRESET = 'preset:';

const presetValue = (name: string | null): string => (name === null ? NONE : `${PRESET}${name}`);
const nameOf = (choice: string): string | undefined =>
  choice.startsWith(PRESET) ? choice.slice(PRESET.length) : undefined;

function toChosen(choice: string, version: string | undefined): JobSteps {
  const name = nameOf(choice);
  if (name !== undefined) return { kind: 'preset', name, version };
  return choice === DRAFT ? { kind: 'steps', pipeline: toPipeline(draft.value) } : { kind: 'none' };
}

function stepsOf(choice: string, { saved = [], templates }: Pipelines): Parameters<typeof needsWatermarkImage>[0] {
  if (choice === DRAFT) return draft.value.steps;
  const found = [...saved, ...templates].find(({ name }) => name === nameOf(choice));
  return (found?.steps ?? []) as Parameters<typeof needsWatermarkImage>[0];
}

function optionsOf({ saved = [], templates }: Pipelines, choice: string) {
  const named = [
    ...saved.map(({ name }) => ({ value: presetValue(name), label: name })),
    ...templates.map(({ name }) => ({ value: presetValue(name), label: `${name} (template)` })),
  ];
  // A preset named in the address may not be loaded yet.
  const isKnown = nameOf(choice) === undefined || named.some(({ value }) => value === choice);
  return [
    { value: NONE, label: 'Compress them' },
    ...(draft.value.steps.length > 0 ? [{ value: DRAFT, label: 'The pipeline that you are building' }] : []),
    ...(isKnown ? [] : [{ value: choice, label: nameOf(choice)! }]),
    ...named,
  ];
}

function helpOf(choice: string, version: string | undefined) {
  if (version !== undefined) return `Version ${version}.`;
  if (choice === NONE) return 'With the defaults of compress: the best format, at quality 75.';
  return <a href={to(['pipelines'])}>See or change pipelines</a>;
}

/** Returns the same key until a part of the job changes, so that a second click does not start a second job. */
function useIdempotencyKey(parts: readonly unknown[]): string {
  const last = useRef({ parts, key: newIdempotencyKey() });
  if (parts.some((part, index) => part !== last.current.parts[index]))
    last.current = { parts, key: newIdempotencyKey() };
  return last.current.key;
}
