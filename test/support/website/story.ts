/**
 * Tests a complete scan: a generated website, the service in a separate process, kills meanwhile, and a comparison of
 * the results at the end.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { withServer } from '../http-server.ts';
import { Random } from '../random.ts';
import { type ServeProcess, withServed } from '../serve-process.ts';
import { compareReferences, prepareScanner, SCAN_ENV, ScanClient, type ScanRecord } from './scan.ts';
import { type Expected, Website } from './website.ts';

export interface ScanTestOptions {
  dataDir: string;
  pages: number;
  images: number;
  /** How often the service is killed while it scans, converts and packages. */
  kills?: number;
  seed?: number;
  optimize?: 'auto' | 'manual';
  env?: Record<string, string>;
  /** The command that starts the service, as arguments of Node. */
  command?: readonly string[];
  /** Called with the id of each process before it ends or is killed. */
  measure?: (pid: number) => Promise<number>;
}

export interface ScanTestReport {
  expected: Omit<Expected, 'references'> & { references: number };
  scan: Pick<ScanRecord, 'status' | 'totals' | 'warnings' | 'error'>;
  /** Share of the planted references that were found, and share of the found references that were planted. */
  recall: number;
  precision: number;
  /** The first 20 of each. */
  missed: string[];
  wrong: string[];
  /** Totals of the scan that differ from the website: the expected and the counted number. */
  miscounted: Record<string, [expected: number, counted: number | undefined]>;
  kills: number;
  /** Time that the scan spent in each phase. The part of a phase before a kill is not counted. */
  seconds: Record<string, number>;
  /** What `measure` returned for each process. */
  measured: number[];
  /** Repeated requests for the same content, except for robots.txt. */
  askedAgain: number;
}

/**
 * Follows a scan to its end.
 * @returns the scan, or undefined if the service was killed before the end
 */
async function follow(
  { address, child }: ServeProcess,
  key: string,
  id: string,
  seconds: Record<string, number>,
  killAfter: number | undefined,
  beforeKill: () => Promise<void>,
): Promise<ScanRecord | undefined> {
  const client = new ScanClient(address, key);
  let events = 0;
  let phase = (await client.read(id)).status;
  let since = performance.now();
  const killed = once(child, 'exit').then(() => undefined);
  const ended = client.ended(id, (name) => {
    events += 1;
    if (events === killAfter) void beforeKill().finally(() => child.kill('SIGKILL'));
    if (name !== 'scan') return;
    void client.read(id).then(
      ({ status }) => {
        if (status === phase) return;
        seconds[phase] = (seconds[phase] ?? 0) + (performance.now() - since) / 1000;
        [phase, since] = [status, performance.now()];
      },
      () => {},
    );
  });
  // A stream may break off only because the process was killed.
  const broken = async (error: unknown) => {
    if (killAfter === undefined || events < killAfter) throw error;
    return await killed;
  };
  return await Promise.race([killed, ended.catch(broken)]);
}

function compareTotals(
  expected: Expected,
  references: number,
  { issues, ...totals }: ScanRecord['totals'],
): ScanTestReport['miscounted'] {
  const pairs: ScanTestReport['miscounted'] = {
    pages_scanned: [expected.pages, totals.pages_scanned],
    references: [references, totals.references],
    assets: [expected.assets, totals.assets],
    assets_unique: [expected.assets - expected.missing - expected.duplicates, totals.assets_unique],
    assets_failed: [expected.missing, totals.assets_failed],
    bytes_original: [expected.bytes, totals.bytes_original],
    broken: [expected.missing, issues.broken],
    duplicate: [expected.duplicates, issues.duplicate],
  };
  return Object.fromEntries(Object.entries(pairs).filter(([, [planted, counted]]) => planted !== counted));
}

export async function scanGeneratedSite(options: ScanTestOptions): Promise<ScanTestReport> {
  const { dataDir, pages, images, kills = 0, seed = 1, optimize = 'auto', env = {}, command, measure } = options;
  const key = await prepareScanner(dataDir);
  const random = new Random(seed);
  let site: Website | undefined;
  return await withServer(
    (request, response) => site!.serve(request, response),
    async ({ origin }) => {
      site = await Website.build(origin, { pages, images });
      const { expected } = site;
      const seconds: Record<string, number> = {};
      const measured: number[] = [];
      let id = '';
      let scan: ScanRecord | undefined;
      let killed = 0;
      for (let life = 0; scan === undefined; life += 1) {
        await withServed(
          dataDir,
          async (served) => {
            const client = new ScanClient(served.address, key);
            const settings = { delay_ms: 0, concurrency: 6 };
            if (id === '') ({ id } = await client.start({ url: origin, optimize, settings }));
            // Counted from each start, so that the scan gets further each time and kills hit every phase.
            const killAfter = life < kills ? 1 + random.integer(Math.ceil((pages + images) / 4)) : undefined;
            const measureNow = async () => {
              if (measure) measured.push(await measure(served.child.pid!));
            };
            scan = await follow(served, key, id, seconds, killAfter, measureNow);
            if (scan) await measureNow();
            else killed += 1;
          },
          { ...SCAN_ENV, ...env },
          command,
        );
      }
      const { missed, wrong } = compareReferences(dataDir, id, expected);
      const planted = [...expected.references.values()].reduce((sum, places) => sum + places.length, 0);
      const found = planted - missed.length + wrong.length;
      const again = [...site.asked].filter(([path]) => path !== '/robots.txt').map(([, times]) => times - 1);
      assert.ok(found > 0, 'nothing was found');
      return {
        expected: { ...expected, references: planted },
        scan: { status: scan.status, totals: scan.totals, warnings: scan.warnings, error: scan.error },
        recall: (planted - missed.length) / planted,
        precision: (found - wrong.length) / found,
        missed: missed.slice(0, 20),
        wrong: wrong.slice(0, 20),
        miscounted: compareTotals(expected, planted, scan.totals),
        kills: killed,
        seconds,
        measured,
        askedAgain: again.reduce((sum, times) => sum + times, 0),
      };
    },
  );
}
