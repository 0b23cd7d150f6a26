/** Shows the state of this installation and the formats that it supports. */
import { useState } from 'preact/hooks';
import { api } from '../../shell/key.ts';
import { CodeBlock } from '../../ui/code-block.tsx';
import { Facts } from '../../ui/facts.tsx';
import { Notice, Spinner, Tag } from '../../ui/feedback.tsx';
import { TextField } from '../../ui/fields.tsx';
import { Table } from '../../ui/table.tsx';
import { useData } from '../../ui/use-loaded.ts';
import { formatsMatching } from './formats.ts';
import type { Format, Readiness } from './records.ts';

export function ServicePanel() {
  return (
    <div class="stack">
      <section aria-labelledby="readiness">
        <h2 id="readiness">This installation</h2>
        <ReadinessView />
      </section>
      <section aria-labelledby="formats">
        <h2 id="formats">Formats</h2>
        <Formats />
      </section>
    </div>
  );
}

const MODELS = [
  ['background', 'Find subjects'],
  ['upscale', 'Upscale'],
  ['faces', 'Find faces'],
  ['ocr', 'Read text'],
] as const;
const STATUS = { ready: 'success', starting: 'info', draining: 'warning', failed: 'error' } as const;
const MODEL_KINDS = { ready: 'success', missing: 'warning', failed: 'error' } as const;

function ReadinessView() {
  const { value, error } = useData(loadReadiness, []);
  if (error !== undefined) return <Notice error={error}>The state of the service could not be read.</Notice>;
  if (!value) return <Spinner label="Reading" />;
  return (
    <>
      <Facts
        class="limits"
        facts={[
          [
            'Service',
            <Tag key="service" kind={STATUS[value.status]}>
              {value.status}
            </Tag>,
          ],
          ...Object.entries(value.checks).map(
            ([name, state]) =>
              [
                name,
                <Tag key={name} kind={state === 'ok' ? 'success' : 'error'}>
                  {state}
                </Tag>,
              ] as const,
          ),
          ...MODELS.map(([name, label]) => {
            const state = value.models[name];
            return [
              `Model: ${label.toLowerCase()}`,
              <Tag key={name} kind={MODEL_KINDS[state]}>
                {state}
              </Tag>,
            ] as const;
          }),
        ]}
      />
      <ModelHelp models={value.models} />
    </>
  );
}

function ModelHelp({ models }: Pick<Readiness, 'models'>) {
  const names = MODELS.flatMap(([name, label]) => (models[name] === 'ready' ? [] : [label.toLowerCase()]));
  if (names.length === 0) return null;
  return (
    <>
      <Notice kind="warning">
        Without its model the service cannot {names.join(' or ')}. Who runs the service can fetch what is missing:
      </Notice>
      <CodeBlock label="Command that fetches the models" text="imagecrew models pull" />
    </>
  );
}

function Formats() {
  const { value, error } = useData(
    (signal) => api.value.json<{ formats: Format[] }>('/api/v1/formats', { signal }),
    [api.value],
  );
  const [wanted, setWanted] = useState('');
  if (error !== undefined) return <Notice error={error}>The formats could not be read.</Notice>;
  if (!value) return <Spinner label="Reading the formats" />;
  const shown = formatsMatching(value.formats, wanted);
  return (
    <>
      <TextField
        label="Find a format"
        type="search"
        placeholder="webp, heic, camera …"
        value={wanted}
        onValue={setWanted}
      />
      <p class="help" role="status">
        {shown.length} of {value.formats.length} formats
      </p>
      <Table
        label="The formats"
        class="formats"
        hasRowHeadings
        columns={['Format', 'Files', 'Read', 'Written']}
        rows={shown.map(({ name, extensions, read, write, needs_filename }) => [
          name,
          <>
            <code>{extensions.map((one) => `.${one.replace(/^\./, '')}`).join(' ')}</code>
            {needs_filename && <span class="help"> by its name</span>}
          </>,
          read ? 'yes' : '–',
          write ? 'yes' : '–',
        ])}
      />
    </>
  );
}

async function loadReadiness(signal: AbortSignal): Promise<Readiness> {
  const response = await fetch('/readyz', { signal });
  const answer = (await response.json()) as Partial<Readiness>;
  if (!answer.status) throw new Error(`The service answered with status ${response.status}.`);
  return answer as Readiness;
}
