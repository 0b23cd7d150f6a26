/** The HTTP side of the service on a free port: real database, real file store, real sockets, and any engine. */
import { join } from 'node:path';
import { type AvailableFormats, INPUT_FORMATS, OUTPUT_FORMATS } from '../../codecs/formats.ts';
import type { WorkerContext } from '../../engine/context.ts';
import type { Engine, RunOptions } from '../../engine/engine.ts';
import { runMatchPaths } from '../../engine/operations/match-paths/run.ts';
import type { ImageResult } from '../../engine/result.ts';
import { sourceFiles } from '../../engine/source-files.ts';
import type { TaskInput, TaskName, TaskResult } from '../../engine/task.ts';
import { createAuthenticate } from '../../server/account/authenticate.ts';
import { issueKey } from '../../server/account/keys.ts';
import { Ledger } from '../../server/account/ledger.ts';
import { NoticeSender } from '../../server/account/notices.ts';
import { Plans } from '../../server/account/plans.ts';
import { Rates } from '../../server/account/rates.ts';
import { createApp } from '../../server/app.ts';
import { systemClock } from '../../server/clock.ts';
import { type Config, loadConfig } from '../../server/config.ts';
import { ENDPOINTS } from '../../server/endpoints.ts';
import { type Resolve, resolveBySystem } from '../../server/http/connector.ts';
import type { Lifecycle, Services } from '../../server/http/endpoint.ts';
import { createOutgoing } from '../../server/http/outgoing.ts';
import { type HttpServer, startHttpServer } from '../../server/http/server.ts';
import { Uploads } from '../../server/http/uploads.ts';
import { Jobs } from '../../server/jobs/jobs.ts';
import { createLog } from '../../server/log.ts';
import { createMetrics } from '../../server/metrics.ts';
import { SiteScans } from '../../server/sites/scans.ts';
import { WebhookSender } from '../../server/webhooks/sender.ts';
import { LocalFiles, StorageRoom } from '../../storage/files.ts';
import { Results } from '../../storage/results.ts';
import { withDatabase } from './database.ts';

export interface Call {
  name: TaskName;
  /** As of the task that most tests are about; the input of others has no more than its image and parameters. */
  input: TaskInput<'compress'>;
  options: RunOptions;
}

/**
 * An engine that answers every task at once, with the bytes it was given where that fits, unless `behave` says otherwise.
 * Patterns it matches.
 */
export class FakeEngine implements Engine {
  readonly calls: Call[] = [];
  behave: (call: Call) => Promise<Partial<ImageResult>> = async () => ({});
  /** What tasks other than those from image to image answer. */
  answers: Partial<{ [N in TaskName]: TaskResult<N> }> = {};

  async run<N extends TaskName>(name: N, input: TaskInput<N>, options: RunOptions = {}): Promise<TaskResult<N>> {
    // Detaches the sender's buffers, as the real one does.
    const transfer = sourceFiles(input).map(({ data }) => data);
    const call = { name, input: structuredClone(input, { transfer }) as TaskInput<'compress'>, options };
    this.calls.push(call);
    options.onStart?.(1);
    const own: TaskResult<N> | undefined = this.answers[name];
    if (own) return own;
    // What is chosen depends on it, and it needs nothing of a worker.
    if (name === 'match-paths')
      return (await runMatchPaths({} as WorkerContext, input as TaskInput<'match-paths'>)) as TaskResult<N>;
    const { data } = call.input.image;
    const result: ImageResult = {
      data,
      format: 'webp',
      width: 4,
      height: 3,
      dpi: null,
      outcome: 'reduced',
      warnings: [],
      source: { format: 'jpeg', bytes: data.byteLength, width: 8, height: 6 },
      phases: { decode: 1, process: 2, encode: 3 },
      ...(await this.behave(call)),
    };
    return result as TaskResult<N>;
  }

  stats() {
    const queued = { interactive: 0, background: 0 };
    return { workers: 1, busy: 0, queued, admittedBytes: 0, admittedPixels: 0, wasmBytes: 0, models: {} };
  }

  async ready(): Promise<AvailableFormats> {
    return { read: INPUT_FORMATS, write: OUTPUT_FORMATS };
  }
  async close(): Promise<void> {}
}

export interface TestService {
  origin: string;
  port: number;
  engine: FakeEngine;
  services: Services & { lifecycle: Lifecycle };
  http: HttpServer;
  /** Sends what the ledger records at once, to IC_SMTP_URL where `env` has it; does not look every minute. */
  notices: NoticeSender;
  /** Keys of two accounts; `test` belongs to the free one. */
  keys: { free: string; pro: string; test: string };
  /** The log so far, one object per line. */
  logged(): Record<string, unknown>[];
  /** Calls the service with the free account's key, or with the one in `headers`. */
  call(path: string, init?: RequestInit): Promise<Response>;
}

export interface TestOptions {
  env?: Record<string, string>;
  /** The clock of the stored results, the keys, the credits and the rates, in milliseconds. */
  now?: () => number;
  /** Looks up the hosts of websites. Default: the system's resolver. */
  resolve?: Resolve;
}

export async function withService<T>(
  work: (service: TestService) => Promise<T>,
  options: TestOptions = {},
): Promise<T> {
  return await withDatabase(async (database, folder) => {
    const config: Config = loadConfig({ ...options.env, IC_DATA_DIR: folder, IC_PORT: '0' });
    const lines: string[] = [];
    const log = createLog('info', { write: (line) => lines.push(line) });
    const engine = new FakeEngine();
    const room = new StorageRoom(config.storageBytes);
    const results = new Results(database.files, await LocalFiles.open(join(folder, 'files'), room), options.now);
    const now = options.now ?? Date.now;
    const jobs = await Jobs.open({ database, config, room, baseUrl: () => services.baseUrl, now });
    const scans = await SiteScans.open({ database, config, room, now });
    const plans = await Plans.load(config);
    const notices = await NoticeSender.create({ database, config, log, now: options.now ?? Date.now });
    const metrics = createMetrics();
    metrics.watch(engine, results, database.jobs);
    const outgoing = createOutgoing({ allowPrivate: config.allowPrivateAddresses, userAgent: 'test' });
    const clock = { ...systemClock, now };
    const webhooks = new WebhookSender({ database, config, outgoing, metrics, log, clock });
    jobs.events.watchAll(({ type }) => {
      if (type === 'ended') webhooks.wake();
    });
    const services = {
      config,
      database,
      results,
      jobs,
      scans,
      webhooks,
      engine,
      metrics,
      outgoing,
      uploads: new Uploads(config.uploadBytes),
      authenticate: createAuthenticate(database, options.now),
      plans,
      ledger: new Ledger(database, plans, () => void notices.wake(), options.now),
      rates: new Rates(database.rateWindows, plans, options.now),
      resolve: options.resolve ?? resolveBySystem,
      now,
      baseUrl: 'https://images.example.com',
      lifecycle: 'ready' as Lifecycle,
    };
    const issue = async (name: string, plan: string, mode: 'live' | 'test') => {
      const account =
        (await database.accounts.findByName(name)) ?? (await database.accounts.create({ name, email: null, plan }));
      const options = { accountId: account.id, name: mode, mode, scopes: [], monthlyLimit: null, expiresAt: null };
      return (await issueKey(database.keys, options)).key;
    };
    const keys = {
      free: await issue('anna', 'free', 'live'),
      pro: await issue('ben', 'pro', 'live'),
      test: await issue('anna', 'free', 'test'),
    };
    const http = await startHttpServer(createApp(ENDPOINTS, services, log).callback(), config);
    try {
      return await work({
        origin: http.address,
        port: Number(new URL(http.address).port),
        engine,
        services,
        http,
        notices,
        keys,
        logged: () => lines.map((line) => JSON.parse(line)),
        call: (path, { headers, ...init } = {}) =>
          fetch(http.address + path, {
            ...init,
            headers: { authorization: `Bearer ${keys.free}`, ...(headers as object) },
          }),
      });
    } finally {
      await http.close();
      await webhooks.stop();
      await notices.stop();
    }
  });
}
