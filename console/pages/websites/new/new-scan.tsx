/** The form that starts the scan of a website. */
import { useState } from 'preact/hooks';
import { ImagecrewError } from '../../../../client/errors.ts';
import { declarations } from '../../../declarations/declarations.ts';
import { ParameterForm } from '../../../parameters/form.tsx';
import { navigate, route, to } from '../../../shell/router.ts';
import { Notice } from '../../../ui/feedback.tsx';
import { Field, SelectField, Switch, TextField } from '../../../ui/fields.tsx';
import { SegmentedControl } from '../../../ui/segments.tsx';
import { useData } from '../../../ui/use-loaded.ts';
import { sitesClient } from '../client.ts';
import { pluralize } from '../labels.ts';
import { Allowance } from './allowance.tsx';
import {
  type Draft,
  EMPTY,
  type Field as FieldName,
  locateError,
  removeNullDefaults,
  toRequestBody,
  validate,
} from './draft.ts';
import { PatternLines } from './pattern-lines.tsx';
import { settingGroups } from './setting-groups.ts';
import './new-scan.css';

const SETTINGS = removeNullDefaults(declarations.scanSettings);
const GROUPS = settingGroups(SETTINGS);
const CONTROLS = { include: PatternLines, exclude: PatternLines, asset_exclude: PatternLines };

const SOURCES = [
  { value: 'url', label: 'Website' },
  { value: 'sitemap', label: 'Sitemap' },
  { value: 'list', label: 'List of pages' },
] as const;

interface FormErrors {
  fields: Partial<Record<FieldName, string>>;
  settings: Record<string, string>;
  /** An error that belongs to no field. */
  rest?: unknown;
}

const NONE: FormErrors = { fields: {}, settings: {} };

export function NewScan() {
  const { query } = route.value;
  const projectId = query.get('project') ?? undefined;
  const [draft, setDraft] = useState<Draft>({ ...EMPTY, url: query.get('url') ?? '' });
  const [faults, setFaults] = useState(NONE);
  const [isSending, setSending] = useState(false);
  const asked = sitesClient.value;
  const tiers = useData((signal) => asked.tiers({ signal }), [asked]).value;
  const change = (part: Partial<Draft>) => setDraft((present) => ({ ...present, ...part }));

  const send = async () => {
    const fields = validate(draft);
    setFaults({ ...NONE, fields });
    if (Object.keys(fields).length > 0) return;
    setSending(true);
    try {
      const { id } = await asked.scans.create(toRequestBody(draft, projectId));
      navigate(to(['websites', id]));
    } catch (error) {
      setFaults(toFormErrors(error));
      setSending(false);
    }
  };

  const credits = tiers?.credits.filter(({ pages_left }) => pages_left > 0) ?? [];
  return (
    <form
      class="stack new-scan"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <SegmentedControl
        label="Where the pages come from"
        options={SOURCES}
        value={draft.source}
        onValue={(source) => change({ source })}
      />
      {draft.source === 'list' ? (
        <Field label="Addresses of the pages" help="One a line, all of one website." error={faults.fields.urls}>
          {(described) => (
            <textarea
              {...described}
              rows={6}
              spellcheck={false}
              placeholder={'https://example.com/\nhttps://example.com/about'}
              value={draft.urls}
              onInput={({ currentTarget }) => change({ urls: currentTarget.value })}
            />
          )}
        </Field>
      ) : (
        <TextField
          label={draft.source === 'url' ? 'Address of the website' : 'Address of the sitemap'}
          // Not of type url, because browsers then refuse an address without a scheme.
          placeholder={draft.source === 'url' ? 'example.com' : 'example.com/sitemap.xml'}
          help={
            draft.source === 'url'
              ? 'Its pages are found by sitemaps and links.'
              : 'Only the pages that it names are read.'
          }
          value={draft.url}
          error={faults.fields.url}
          onValue={(url) => change({ url })}
        />
      )}
      {tiers && <Allowance tiers={tiers} />}
      <fieldset>
        <legend>How to go on</legend>
        <Switch
          label="Let me choose the pages first"
          help="The scan stops when it has found the pages, and waits for you."
          isOn={draft.review}
          onValue={(review) => change({ review })}
        />
        <Switch
          label="Convert images by hand"
          help="Without this, every image that gains by it is converted, and the package is built. Each image that is converted is one request."
          isOn={draft.isManual}
          onValue={(isManual) => change({ isManual })}
        />
      </fieldset>
      <details>
        <summary>More settings</summary>
        <div class="more-settings">
          <TextField
            label="Name"
            help="For you, as “Before the relaunch”."
            value={draft.name}
            error={faults.fields.name}
            onValue={(name) => change({ name })}
          />
          <TextField
            label="Most pages"
            placeholder={tiers ? String(tiers.scan_pages) : ''}
            value={draft.maxPages}
            error={faults.fields.max_pages}
            onValue={(maxPages) => change({ maxPages })}
          />
          {credits.length > 0 && (
            <SelectField
              label="Draw on a package"
              help="Pages are charged to it when they have been read."
              value={draft.package}
              error={faults.fields.package}
              options={[
                { value: '', label: 'none' },
                ...credits.map(({ package: id, pages_left }) => ({
                  value: id,
                  label: `${id}, ${pluralize(pages_left, 'page')} left`,
                })),
              ]}
              onValue={(credit) => change({ package: credit })}
            />
          )}
          <ParameterForm
            parameters={SETTINGS}
            groups={GROUPS}
            values={draft.settings}
            onValues={(settings) => change({ settings })}
            errors={faults.settings}
            controls={CONTROLS}
          />
        </div>
      </details>
      {faults.rest !== undefined && <Notice error={faults.rest} />}
      {Object.keys(faults.settings).length > 0 && (
        <Notice kind="error">A setting cannot be used. See “More settings”.</Notice>
      )}
      <div class="row">
        <button type="submit" class="primary" aria-disabled={isSending}>
          {isSending ? 'Starting …' : 'Start the scan'}
        </button>
        <a href={to(['websites'])}>All websites</a>
      </div>
    </form>
  );
}

function toFormErrors(error: unknown): FormErrors {
  const place = error instanceof ImagecrewError ? locateError(error.param) : undefined;
  if (place === undefined) return { ...NONE, rest: error };
  const { message } = error as ImagecrewError;
  return 'field' in place
    ? { ...NONE, fields: { [place.field]: message } }
    : { ...NONE, settings: { [place.setting]: message } };
}
