/** Tools that optimize a website in one call and report on the run (docs/spec/shapes.md, section 18.2). */
import { z } from 'zod';
import { listFields, listText, sliceFields, withFields } from '../../mcp/lists.ts';
import type { AnyTool, Call } from '../../mcp/tool.ts';
import { replacementSchema } from '../../replacement-package/replacement.ts';
import type { ScanStatus, SiteScan } from '../../storage/records/site-scans.ts';
import type { Caller } from '../http/context.ts';
import { cancelRun, describeRun, runReport, runStatus, start, startRun } from '../sites/optimize-endpoints.ts';
import { scanError } from '../sites/records/fields.ts';
import { progressOf, scanProgress, scanTotals } from '../sites/records/scan.ts';
import { recordOf } from '../sites/scan-endpoints.ts';
import { RUNNING_STATUSES } from '../sites/states.ts';
import type { HostedToolContext } from './context.ts';
import { replacementFields, replacementList } from './replacements.ts';
import type { McpServices } from './services.ts';
import { READ_ONLY_ANNOTATIONS, siteTool } from './site-tool.ts';

/** Time to wait for a run. By default clients time out after 60 seconds. */
const WAIT_SECONDS = 50;

/** Maximum number of replacements in the report. */
const MAX_LISTED = 50;

const PHASES = ['queued', 'discovering', 'scanning', 'optimizing', 'packaging'] as const;

/** Error of a failed run. Not named `error`, which would mean that the call itself failed. */
const failure = scanError.meta({ description: 'Of the run, when its status is failed.' });

/** Sends a progress notification. Each phase fills an equal part of the progress bar: 100 units, one per percent. */
function reportProgress({ progress }: Pick<Call, 'progress'>, scan: SiteScan, now: number): void {
  const phase = PHASES.indexOf(scan.status as (typeof PHASES)[number]);
  const { percent, done, total } = progressOf(scan, now);
  if (phase < 0) return;
  const count = total === null ? '' : ` ${done} of ${total}`;
  progress(phase * 100 + Math.floor(percent), PHASES.length * 100, `${scan.id} ${scan.status}${count}`);
}

/**
 * Resolves when waiting should end: the run has ended or was deleted, or the service is stopping.
 * @param enough fires when the maximum waiting time is over
 */
export async function waitForRun(
  { database, scans: { events }, now }: Pick<McpServices, 'database' | 'scans' | 'now'>,
  id: string,
  call: Pick<Call, 'signal' | 'progress'>,
  enough: AbortSignal,
): Promise<void> {
  const over = AbortSignal.any([call.signal, events.closing, enough]);
  let unwatch = () => {};
  await new Promise<void>((resolve, reject) => {
    if (over.aborted) resolve();
    over.addEventListener('abort', () => resolve(), { once: true });
    const look = async () => {
      const scan = await database.siteScans.find(id);
      if (!scan || !RUNNING_STATUSES.has(scan.status)) resolve();
      else reportProgress(call, scan, now());
    };
    unwatch = events.watch(id, ({ type }) => {
      if (type !== 'page' && type !== 'asset') look().catch(reject);
    });
    // The run may have ended before the watch was set up.
    look().catch(reject);
  }).finally(() => unwatch());
}

/** Waits for the run to end, up to the time limit, and describes it. */
async function followRun(
  services: McpServices,
  { account }: Caller,
  id: string,
  call: Call,
): ReturnType<typeof describeRun> {
  await waitForRun(services, id, call, AbortSignal.timeout(WAIT_SECONDS * 1000));
  call.signal.throwIfAborted();
  const run = await describeRun(await services.scans.find(account.id, id), services, MAX_LISTED);
  call.signal.throwIfAborted();
  return run;
}

const optimizeWebsite = siteTool('start_site_optimize', {
  name: 'optimize_website',
  title: 'Optimize the images of a website',
  description: `Scans pages of a website, converts their images to WebP, and answers with a map of what replaces what and a ZIP of the new files, which live a day. Costs one request for each image that is converted. It waits ${WAIT_SECONDS} seconds; what takes longer goes on, and get_website_report with wait tells of its end. It does not run the scripts of pages. Needs a key with the scope sites.`,
  input: z.strictObject(start.shape),
  output: z.object({ id: z.string(), status: runStatus, report: runReport.optional(), failure }),
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  async run(args, { services, caller }, call) {
    const { id } = await startRun(services, caller, args);
    const run = await followRun(services, caller, id, call).catch(async (error: unknown) => {
      // The client never received the run's id, so nobody else could stop it. Report the original error.
      await cancelRun(services, caller, id).catch(() => {});
      throw error;
    });
    const { status, report, error } = run;
    return {
      structured: { id, status, ...(report && { report }), failure: error },
      text: report
        ? headline({ id, status, totals: report.totals, failure: error })
        : `${id} is ${status}${error ? `: ${error.message}` : ''}. ${nextStep(status)}`,
    };
  },
});

/** Text that says which call to make next for a run without a report. */
function nextStep(status: ScanStatus): string {
  return RUNNING_STATUSES.has(status)
    ? 'Call get_website_report with this id and wait: true.'
    : 'get_website_report tells of it.';
}

type HeadlineFields = Pick<z.output<typeof reportOutput>, 'id' | 'status' | 'totals' | 'failure'>;

function headline({ id, status, totals, failure }: HeadlineFields): string {
  const { assets, assets_mapped, bytes_saved, saved_percent } = totals;
  return `${id} is ${status}${failure ? `: ${failure.message}` : ''}. ${assets_mapped} of ${assets} images replaced, ${bytes_saved} bytes saved (${saved_percent}%).`;
}

const reportOutput = z.object({
  id: z.string(),
  status: scanProgress.shape.phase,
  progress: scanProgress,
  totals: scanTotals,
  zip_url: z.string().nullable(),
  replacements: z.array(replacementSchema),
  ...listFields,
  failure,
});

/** @throws Failure `not_found`; `rate_limited` if the account already follows too many jobs and scans */
async function waitFor(services: McpServices, { account }: Caller, id: string, call: Call): Promise<void> {
  await services.scans.find(account.id, id);
  const release = services.eventStreams.reserve(account.id);
  try {
    await waitForRun(services, id, call, AbortSignal.timeout(WAIT_SECONDS * 1000));
  } finally {
    release();
  }
  call.signal.throwIfAborted();
}

const getWebsiteReport = siteTool('read_site_optimize', {
  name: 'get_website_report',
  title: 'Report on a website',
  description:
    'How far optimize_website is and, when it is done, the replacements: from is the address of an image, to_path where its new file is proposed to lie. Free of charge. Also takes the id of a scan.',
  input: z.strictObject({
    id: z
      .string()
      .meta({ description: 'As optimize_website answers it.', examples: ['opt_01JD3Z8Q4W0V6S8H2N5B7C9E1F'] }),
    wait: z
      .boolean()
      .default(false)
      .meta({ description: `Answers at the end of the run, after ${WAIT_SECONDS} seconds at most.` }),
    fields: replacementFields,
    ...sliceFields(),
  }),
  output: reportOutput,
  annotations: READ_ONLY_ANNOTATIONS,
  async run({ id, wait, fields, ...slice }, { services, caller }, call) {
    if (wait) await waitFor(services, caller, id, call);
    const scan = await services.scans.find(caller.account.id, id);
    const { status, progress, totals, downloads, error } = await recordOf(scan, services);
    const { replacements, list } = await replacementList(services, scan, slice);
    const { zip_url } = downloads;
    return {
      structured: {
        ...{ id, status, progress, totals, zip_url, ...list, failure: error },
        replacements: withFields(replacements, fields),
      },
      text: `${headline({ id, status, totals, failure: error })} ${RUNNING_STATUSES.has(status) ? nextStep(status) : listText('Replacements', list)}`,
      fields,
    };
  },
});

export const optimizeTools: readonly AnyTool<HostedToolContext>[] = [optimizeWebsite, getWebsiteReport];
