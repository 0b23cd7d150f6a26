/** The form that starts the scan of a website. */
import './new-scan.css';
import { useState } from 'preact/hooks';
import { ImagecrewError } from '../../../../client/errors.ts';
import { navigate, route, to } from '../../../shell/router.ts';
import { Notice } from '../../../ui/feedback.tsx';
import { Form, Switch } from '../../../ui/fields.tsx';
import { useData } from '../../../ui/use-loaded.ts';
import { sitesClient } from '../client.ts';
import { pluralize } from '../labels.ts';
import type { SiteTiers } from '../types.ts';
import { type Draft, EMPTY, locateError, toRequestBody, validate } from './draft.ts';
import { type FormErrors, MoreSettings } from './more-settings.tsx';
import { SourceFields } from './source-fields.tsx';

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

  return (
    <Form class="stack new-scan" noValidate onSubmit={() => void send()}>
      <SourceFields draft={draft} errors={faults.fields} onDraft={change} />
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
      <MoreSettings draft={draft} errors={faults} tiers={tiers} onDraft={change} />
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
    </Form>
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

/** Shows how many pages and websites the account may scan. */
function Allowance({ tiers: { plan, scan_pages, websites } }: { tiers: SiteTiers }) {
  const isFull = websites.held >= websites.limit;
  return (
    <p class="help">
      Your account, plan {plan}, can scan {pluralize(scan_pages, 'page')} at a time and{' '}
      {pluralize(websites.limit, 'website')}; it holds {websites.held}
      {websites.domains.length > 0 && `: ${websites.domains.join(', ')}`}.
      {isFull &&
        ' Another one needs a larger plan or a package of pages, or that you delete the scans of one of these.'}
    </p>
  );
}
