/** Metrics for Prometheus (docs/spec/shapes.md, section 19). No label carries an address, a key or the name of an account. */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { HTTP_STATUS_BY_CODE } from '../base/failure.ts';
import { type Engine, type EngineObserver, RESTART_REASONS, TASK_OUTCOMES } from '../engine/engine.ts';
import { OPERATIONS } from '../engine/operations/registry.ts';
import { CATALOGUE } from '../models/catalogue.ts';
import { BUILT_IN } from '../models/installed.ts';
import type { Jobs } from '../storage/ports/jobs.ts';
import { JOB_STATUSES } from '../storage/records/jobs.ts';
import type { Results } from '../storage/results.ts';
import { memoryBytes } from './config.ts';
import { eventLoopDelay, SAMPLE_MS } from './event-loop.ts';
import { PHASES } from './http/context.ts';
import type { RequestMetrics } from './http/observe.ts';
import { createDeliveryMetrics } from './image-delivery/metrics.ts';
import type { DeliveryMetrics } from './image-delivery/open.ts';
import { packageVersion } from './version.ts';
import { DELIVERY_RESULTS, type WebhookMetrics } from './webhooks/sender.ts';

/** From the time of a small thumbnail to the longest time limit, in seconds. */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120];

export interface Metrics extends RequestMetrics, WebhookMetrics, DeliveryMetrics {
  /** Receives the events of the engine. */
  observer: EngineObserver;
  contentType: string;
  /** Makes the gauges read from these sources from now on. */
  watch(sources: Watched): void;
  /** Returns all metrics in the text format of Prometheus. */
  text(): Promise<string>;
}

/** What the gauges read. */
interface Watched {
  engine: Engine;
  results: Results;
  jobs: Pick<Jobs, 'countByStatus'>;
  /** Returns the free bytes of the file system of the data folder. */
  freeBytes(): Promise<number>;
}

/** How often Node's own metrics sample the event loop. Each sample wakes the process; `ic_event_loop_delay_seconds` is exact. */
const DEFAULT_METRICS_SAMPLE_MS = 100;

export function createMetrics(): Metrics {
  const registry = new Registry();
  let watched: Watched | undefined;
  const { requests, errors, durations, phases, bytesIn, bytesOut, tasks, taskDurations, restarts, webhooks } =
    createCounters(registry);
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: DEFAULT_METRICS_SAMPLE_MS });
  createBuildInfo(registry);
  createServiceGauges(registry, () => watched);
  createProcessGauges(registry, () => watched);
  return {
    contentType: registry.contentType,
    observer: {
      taskEnded: ({ task, outcome, runMs }) => {
        tasks.inc({ task, outcome });
        if (runMs > 0) taskDurations.observe({ task }, runMs / 1000);
      },
      workerRestarted: (reason) => restarts.inc({ reason }),
    },
    requestEnded: ({ operation = 'none', errorCode, phases: times }, answer) => {
      requests.inc({ operation, status: answer.status });
      durations.observe({ operation }, answer.seconds);
      bytesIn.inc(answer.bytesIn);
      bytesOut.inc(answer.bytesOut);
      if (errorCode !== undefined) errors.inc({ code: errorCode });
      for (const [phase, milliseconds] of Object.entries(times)) phases.observe({ phase }, milliseconds / 1000);
    },
    webhookDelivered: (result) => webhooks.inc({ result }),
    ...createDeliveryMetrics(registry),
    watch: (sources) => {
      watched = sources;
    },
    text: () => registry.metrics(),
  };
}

/** Counters and histograms of what the service has done. */
function createCounters(registry: Registry) {
  const registers = [registry];
  const requests = new Counter({
    name: 'ic_requests_total',
    help: 'Requests by operation and status',
    labelNames: ['operation', 'status'],
    registers,
  });
  const errors = new Counter({ name: 'ic_errors_total', help: 'Errors by code', labelNames: ['code'], registers });
  const durations = new Histogram({
    name: 'ic_request_duration_seconds',
    help: 'Time from the first byte of a request to the last of its answer',
    labelNames: ['operation'],
    buckets: BUCKETS,
    registers,
  });
  const phases = new Histogram({
    name: 'ic_phase_duration_seconds',
    help: 'Time of the parts of a request',
    labelNames: ['phase'],
    buckets: BUCKETS,
    registers,
  });
  const bytesIn = new Counter({ name: 'ic_bytes_in_total', help: 'Bytes of images received', registers });
  const bytesOut = new Counter({ name: 'ic_bytes_out_total', help: 'Bytes of answers', registers });
  const tasks = new Counter({
    name: 'ic_tasks_total',
    help: 'Tasks of the worker pool by outcome',
    labelNames: ['task', 'outcome'],
    registers,
  });
  const taskDurations = new Histogram({
    name: 'ic_task_duration_seconds',
    help: 'Time of tasks on a worker',
    labelNames: ['task'],
    buckets: BUCKETS,
    registers,
  });
  const restarts = new Counter({
    name: 'ic_worker_restarts_total',
    help: 'Workers replaced, by reason',
    labelNames: ['reason'],
    registers,
  });

  const webhooks = new Counter({
    name: 'ic_webhook_deliveries_total',
    help: 'Attempts to deliver webhooks, by what came of them',
    labelNames: ['result'],
    registers,
  });
  startAtZero({ requests, errors, phases, tasks, restarts, webhooks });
  return { requests, errors, durations, phases, bytesIn, bytesOut, tasks, taskDurations, restarts, webhooks };
}

interface Labelled {
  requests: Counter<'operation' | 'status'>;
  errors: Counter<'code'>;
  phases: Histogram<'phase'>;
  tasks: Counter<'task' | 'outcome'>;
  restarts: Counter<'reason'>;
  webhooks: Counter<'result'>;
}

/** Exports the labels that are known at 0: `rate` and `increase` do not see the first event of a label that is new. */
function startAtZero({ requests, errors, phases, tasks, restarts, webhooks }: Labelled): void {
  for (const { name } of OPERATIONS) {
    requests.inc({ operation: name, status: 200 }, 0);
    for (const outcome of TASK_OUTCOMES) tasks.inc({ task: name, outcome }, 0);
  }
  for (const code of Object.keys(HTTP_STATUS_BY_CODE)) errors.inc({ code }, 0);
  for (const phase of PHASES) phases.zero({ phase });
  for (const reason of RESTART_REASONS) restarts.inc({ reason }, 0);
  for (const result of DELIVERY_RESULTS) webhooks.inc({ result }, 0);
}

function createBuildInfo(registry: Registry): void {
  new Gauge({
    name: 'ic_build_info',
    help: 'Version of the service and of Node',
    labelNames: ['version', 'node'],
    registers: [registry],
  }).set({ version: packageVersion(), node: process.versions.node }, 1);
}

/** Gauges of what the service does now. */
function createServiceGauges(registry: Registry, getWatched: () => Watched | undefined): void {
  const registers = [registry];
  const gauge = (name: string, help: string, read: (sources: Watched) => number) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        const watched = getWatched();
        if (watched) this.set(read(watched));
      },
    });
  gauge('ic_workers', 'Worker threads', ({ engine }) => engine.stats().workers);
  gauge('ic_workers_busy', 'Worker threads that run a task', ({ engine }) => engine.stats().busy);
  gauge('ic_queue_length', 'Tasks that wait for a worker', ({ engine }) => {
    const { interactive, background } = engine.stats().queued;
    return interactive + background;
  });
  gauge('ic_stored_bytes', 'Bytes of stored results', ({ results }) => results.usedBytes);
  new Gauge({
    name: 'ic_disk_free_bytes',
    help: 'Free bytes of the file system of the data folder',
    registers,
    async collect() {
      const free = await getWatched()?.freeBytes();
      if (free !== undefined) this.set(free);
    },
  });
  new Gauge({
    name: 'ic_jobs',
    help: 'Jobs by status; those that have ended for a day',
    labelNames: ['status'],
    registers,
    async collect() {
      const jobs = await getWatched()?.jobs.countByStatus();
      for (const status of JOB_STATUSES) this.set({ status }, jobs?.[status] ?? 0);
    },
  });
  new Gauge({
    name: 'ic_model_loaded',
    help: 'Whether a worker holds the model',
    labelNames: ['model'],
    registers,
    collect() {
      const { models } = getWatched()?.engine.stats() ?? { models: {} };
      const known = [...CATALOGUE, ...BUILT_IN].map(({ id }) => [id, 'missing'] as const);
      for (const [model, state] of [...known, ...Object.entries(models)])
        this.set({ model }, state === 'loaded' ? 1 : 0);
    },
  });
}

/** Gauges of the memory and the event loop of this process. */
function createProcessGauges(registry: Registry, getWatched: () => Watched | undefined): void {
  const registers = [registry];
  new Gauge({
    name: 'ic_memory_bytes',
    help: 'Memory by kind; rss holds all others',
    labelNames: ['kind'],
    registers,
    collect() {
      const { rss, heapUsed, arrayBuffers } = process.memoryUsage();
      this.set({ kind: 'rss' }, rss);
      this.set({ kind: 'heap' }, heapUsed);
      this.set({ kind: 'array_buffers' }, arrayBuffers);
      this.set({ kind: 'wasm' }, getWatched()?.engine.stats().wasmBytes ?? 0);
    },
  });

  new Gauge({
    name: 'ic_memory_limit_bytes',
    help: 'Memory that this process may use: of its container or of the machine',
    registers,
  }).set(memoryBytes());
  new Gauge({
    name: 'ic_event_loop_delay_seconds',
    help: 'How late the event loop was, by quantile, since the service is ready',
    labelNames: ['quantile'],
    registers,
    collect() {
      for (const [quantile, seconds] of eventLoopDelay().quantiles) this.set({ quantile }, seconds);
    },
  });
  new Gauge({
    name: 'ic_event_loop_delay_max_seconds',
    help: `Longest hold of the event loop since the service is ready, up to ${SAMPLE_MS} ms too short; reading it resets nothing`,
    registers,
    collect() {
      this.set(eventLoopDelay().maxSeconds);
    },
  });
}
