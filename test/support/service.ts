/**
 * The HTTP side of the service on a free port, with a real database, a real file store, real sockets and any engine.
 */

import { type Clock, systemClock } from '../../base/clock.ts';
import { type AvailableFormats, INPUT_FORMATS, OUTPUT_FORMATS } from '../../codecs/formats/registry.ts';
import type { WorkerContext } from '../../engine/context.ts';
import type { Engine, RunOptions } from '../../engine/engine.ts';
import { runMatchPaths } from '../../engine/operations/match-paths/run.ts';
import type { ImageResult } from '../../engine/result.ts';
import { sourceFiles } from '../../engine/source-files.ts';
import type { TaskInput, TaskName, TaskResult } from '../../engine/task.ts';
import { issueKey } from '../../server/account/keys.ts';
import type { NoticeSender } from '../../server/account/notices.ts';
import { createApp } from '../../server/app.ts';
import { type Config, loadConfig } from '../../server/config.ts';
import { ENDPOINTS } from '../../server/endpoints.ts';
import type { Resolve } from '../../server/http/connector.ts';
import type { Lifecycle } from '../../server/http/endpoint.ts';
import { type HttpServer, startHttpServer } from '../../server/http/server.ts';
import { createLog } from '../../server/log.ts';
import { createMetrics } from '../../server/metrics.ts';
import type { Services } from '../../server/services.ts';
import { createServices } from '../../server/services.ts';
import { withDatabase } from './database.ts';

export interface EngineCall {
  name: TaskName;
  /**
   * Typed as the input of the task that most tests use. Inputs of other tasks have at most its image and parameters.
   */
  input: TaskInput<'compress'>;
  options: RunOptions;
}

/**
 * An engine that answers every task at once, with its input bytes where that fits, unless `behave` returns something
 * else. It really matches path patterns.
 */
export class FakeEngine implements Engine {
  readonly calls: EngineCall[] = [];
  behave: (call: EngineCall) => Promise<Partial<ImageResult>> = async () => ({});
  /** Results of the tasks that do not turn an image into an image. */
  answers: Partial<{ [N in TaskName]: TaskResult<N> }> = {};

  async run<N extends TaskName>(name: N, input: TaskInput<N>, options: RunOptions = {}): Promise<TaskResult<N>> {
    // Detaches the sender's buffers, as the real engine does.
    const transfer = sourceFiles(input).map(({ data }) => data);
    const call = { name, input: structuredClone(input, { transfer }) as TaskInput<'compress'>, options };
    this.calls.push(call);
    options.onStart?.(1);
    const own: TaskResult<N> | undefined = this.answers[name];
    // Copied into separate buffers, as by a worker, because the service frees the buffers that it sends.
    if (own) return structuredClone(own);
    // Path matching is real: the selection depends on it, and it needs nothing from a worker.
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
    return structuredClone(result) as TaskResult<N>;
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
  /** Sends what the ledger records at once, to IC_SMTP_URL if `env` has it. Does not check every minute. */
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
  /** Replaces `now` and has timers as well. */
  clock?: Clock;
  /** Resolves the hosts of websites. Default: the system's resolver. */
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
    const closers: (() => Promise<unknown>)[] = [];
    const opened = await createServices(
      {
        ...{ config, database, engine, log, metrics: createMetrics() },
        clock: options.clock ?? { ...systemClock, now: options.now ?? Date.now },
        ...(options.resolve && { resolve: options.resolve }),
        baseUrl: () => 'https://images.example.com',
        lifecycle: () => 'ready',
      },
      (close) => closers.push(close),
    );
    const { notices } = opened;
    const services = { ...opened.services, lifecycle: 'ready' as Lifecycle };
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
      for (const close of closers.reverse()) await close();
    }
  });
}
