/** Shows the state of this installation and the formats that it supports. */
import { useState } from 'preact/hooks';
import { api } from '../../shell/key.ts';
import { CodeBlock } from '../../ui/code-block.tsx';
import { Notice, Spinner, Tag } from '../../ui/feedback.tsx';
import { TextField } from '../../ui/fields.tsx';
import { ScrollBox } from '../../ui/scroll-box.tsx';
import { useData } from '../../ui/use-loaded.ts';
import { formatsMatching } from './formats.ts';
import { loadReadiness } from './readiness.ts';
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
      <dl class="limits">
        <State label="Service" kind={STATUS[value.status]} state={value.status} />
        {Object.entries(value.checks).map(([name, state]) => (
          <State key={name} label={name} kind={state === 'ok' ? 'success' : 'error'} state={state} />
        ))}
        {MODELS.map(([name, label]) => {
          const state = value.models[name];
          return <State key={name} label={`Model: ${label.toLowerCase()}`} kind={MODEL_KINDS[state]} state={state} />;
        })}
      </dl>
      <ModelHelp models={value.models} />
    </>
  );
}

function State({
  label,
  kind,
  state,
}: {
  label: string;
  kind: 'info' | 'success' | 'warning' | 'error';
  state: string;
}) {
  return (
    <div class="limit">
      <dt>{label}</dt>
      <dd>
        <Tag kind={kind}>{state}</Tag>
      </dd>
    </div>
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
      <div class="formats">
        <ScrollBox label="The formats">
          <table>
            <thead>
              <tr>
                <th scope="col">Format</th>
                <th scope="col">Files</th>
                <th scope="col">Read</th>
                <th scope="col">Written</th>
              </tr>
            </thead>
            <tbody>
              {shown.map(({ id, name, extensions, read, write, needs_filename }) => (
                <tr key={id}>
                  <th scope="row">{name}</th>
                  <td>
                    <code>{extensions.map((one) => `.${one.replace(/^\./, '')}`).join(' ')}</code>
                    {needs_filename && <span class="help"> by its name</span>}
                  </td>
                  <td>{read ? 'yes' : '–'}</td>
                  <td>{write ? 'yes' : '–'}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </ScrollBox>
      </div>
    </>
  );
}
