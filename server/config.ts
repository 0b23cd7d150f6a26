/**
 * The settings. They come from environment variables only, and each is declared once. The declaration is used for the
 * check at the start, for `imagecrew config` and for the table in the README.
 */
import { isIP } from 'node:net';
import { availableParallelism, totalmem } from 'node:os';
import { join, resolve } from 'node:path';
import { expected, Failure } from '../base/failure.ts';
import { findNearest } from '../base/unknown-name.ts';
import { DEFAULT_MAX_JPEG_SCANS } from '../codecs/jpeg-scans.ts';
import { DELIVERY_SETTINGS } from './delivery-settings.ts';
import { isBlock } from './http/addresses.ts';
import {
  address,
  boolean,
  bytes,
  choice,
  declare,
  integer,
  isOrigin,
  list,
  optional,
  path,
  postgresAddress,
  type Setting,
  sender,
  text,
  webFolder,
} from './setting-types.ts';
import { STORAGE_SETTINGS } from './storage-settings.ts';

const MIB = 2 ** 20;
const GIB = 2 ** 30;

const ALL_SETTINGS = 'Remove it; docs/guides/operating.md, "Settings", says how to list all.';

/** Every variable with this prefix must be a setting, so that typing errors are reported. */
const PREFIX = 'IC_';

export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

/** Returns the memory that this process may use: the limit of its container if there is one. */
export function memoryBytes(): number {
  const limit = process.constrainedMemory();
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem();
}

/** A quarter of the memory, but at least enough for a few of the largest files. */
const QUARTER_OF_MEMORY = Math.max(512 * MIB, Math.floor(memoryBytes() / 4));
const QUARTER_TEXT = 'a quarter of the memory, at least 512 MiB';

export const SETTINGS = {
  host: declare({
    ...text,
    env: 'IC_HOST',
    default: '127.0.0.1',
    meaning: 'Address to listen on. 0.0.0.0 or :: listens on all.',
  }),
  port: declare({
    ...integer(0, 65_535),
    env: 'IC_PORT',
    default: 8080,
    meaning: 'Port to listen on. 0 takes a free one.',
  }),
  baseUrl: declare({
    ...optional(address(['http:', 'https:'], 'https://images.example.com')),
    env: 'IC_BASE_URL',
    default: undefined,
    defaultText: 'the address listened on',
    meaning: 'Public address of the service; links to stored results begin with it.',
  }),
  dataDir: declare({
    ...path,
    env: 'IC_DATA_DIR',
    default: resolve('data'),
    defaultText: './data',
    meaning: 'Folder of the database and the stored results.',
  }),
  databaseUrl: declare({
    ...optional(postgresAddress),
    env: 'IC_DATABASE_URL',
    default: undefined,
    defaultText: 'SQLite in IC_DATA_DIR',
    meaning: 'Database on a PostgreSQL server. Stored results stay in IC_DATA_DIR.',
    secret: true,
  }),
  workers: declare({
    ...integer(1, 256),
    env: 'IC_WORKERS',
    default: availableParallelism(),
    defaultText: 'number of cores',
    meaning: 'Worker threads that process images.',
  }),
  chromium: declare({
    ...optional(path),
    env: 'IC_CHROMIUM',
    default: undefined,
    defaultText: 'chromium, chromium-browser or google-chrome of PATH',
    meaning: 'Chromium that renders pages, for commands that are asked to.',
  }),
  modelsDir: declare({
    ...optional(path),
    env: 'IC_MODELS_DIR',
    default: undefined,
    defaultText: 'models/ in IC_DATA_DIR',
    meaning: 'Folder of the models.',
  }),
  modelsFetch: declare({
    ...boolean,
    env: 'IC_MODELS_FETCH',
    default: true,
    meaning: 'Whether the first start fetches the default models, in the background.',
  }),
  modelsUrl: declare({
    ...optional(webFolder('https://mirror.example.com/models')),
    env: 'IC_MODELS_URL',
    default: undefined,
    defaultText: "the models' own addresses",
    meaning: 'Address of a folder that has the files of the models, to fetch them from there.',
  }),
  plansFile: declare({
    ...optional(path),
    env: 'IC_PLANS_FILE',
    default: undefined,
    defaultText: 'plans.json in IC_DATA_DIR, if it is there',
    meaning: 'JSON file that changes the plans free and pro or adds others.',
  }),
  allowPrivateAddresses: declare({
    ...list('CIDR blocks like 10.0.0.0/8', 'a CIDR block like 10.0.0.0/8', isBlock),
    env: 'IC_ALLOW_PRIVATE_ADDRESSES',
    default: Object.freeze([]),
    meaning: 'CIDR blocks that outgoing requests may reach although they are private, on any port; comma-separated.',
  }),
  trustedProxies: declare({
    ...list('CIDR blocks like 10.0.0.0/8', 'a CIDR block like 10.0.0.0/8', isBlock),
    env: 'IC_TRUSTED_PROXIES',
    default: Object.freeze(['127.0.0.0/8', '::1/128']),
    meaning: 'CIDR blocks of the reverse proxies whose X-Forwarded-For names the client; comma-separated.',
  }),
  maxConnections: declare({
    ...integer(1, 1_000_000),
    env: 'IC_MAX_CONNECTIONS',
    default: 4096,
    meaning: 'Connections of all clients at a time; the next one is closed at once.',
  }),
  maxConnectionsPerAddress: declare({
    ...integer(1, 1_000_000),
    env: 'IC_MAX_CONNECTIONS_PER_ADDRESS',
    default: 256,
    meaning: 'Connections of one client address (of IPv6: its first 64 bits) at a time. Trusted proxies have no limit.',
  }),
  allowHttpWebhooks: declare({
    ...boolean,
    env: 'IC_ALLOW_HTTP_WEBHOOKS',
    default: false,
    meaning: 'Whether webhooks may be sent to http addresses too; anybody on the way can read them.',
  }),
  adminToken: declare({
    ...optional(text),
    env: 'IC_ADMIN_TOKEN',
    default: undefined,
    meaning: 'Bearer token of the admin endpoints. Without it they do not exist.',
    secret: true,
  }),
  metricsToken: declare({
    ...optional(text),
    env: 'IC_METRICS_TOKEN',
    default: undefined,
    meaning: 'Bearer token of /metrics. Without it only this machine may read them.',
    secret: true,
  }),
  smtpUrl: declare({
    ...optional(address(['smtp:', 'smtps:'], 'smtps://user:password@mail.example.com')),
    env: 'IC_SMTP_URL',
    default: undefined,
    meaning: 'Mail server for notices. Without it they are only logged.',
    secret: true,
  }),
  mailFrom: declare({
    ...optional(sender),
    env: 'IC_MAIL_FROM',
    default: undefined,
    defaultText: 'Imagecrew <noreply@HOST>, with the host of IC_BASE_URL or localhost',
    meaning: 'Sender of notices.',
  }),
  logLevel: declare({
    ...choice(LOG_LEVELS),
    env: 'IC_LOG_LEVEL',
    default: 'info',
    meaning: 'Least severe kind of log line that is written.',
  }),
  corsOrigins: declare({
    ...list(
      'origins like https://example.com, or *',
      'an origin like https://example.com, without a path, or *',
      isOrigin,
    ),
    env: 'IC_CORS_ORIGINS',
    default: Object.freeze([]),
    meaning: 'Origins whose pages may call the service from a browser; comma-separated, * for all.',
  }),
  maxPixels: declare({
    ...integer(1, 10 ** 11),
    env: 'IC_MAX_PIXELS',
    default: 300_000_000,
    meaning: 'Largest image, in pixels of all its frames, that a streaming decoder reads.',
  }),
  maxPixelsDecoded: declare({
    ...integer(1, 10 ** 10),
    env: 'IC_MAX_PIXELS_DECODED',
    default: 100_000_000,
    meaning: 'Largest image, in pixels of all its frames, that has to be decoded as a whole.',
  }),
  maxDecodedBytes: declare({
    ...bytes(MIB, 64 * GIB),
    env: 'IC_MAX_DECODED_BYTES',
    default: GIB,
    meaning: 'Decoded bytes that one request may hold at a time.',
  }),
  runningDecodedBytes: declare({
    ...optional(bytes(MIB, 1024 * GIB)),
    env: 'IC_RUNNING_DECODED_BYTES',
    default: undefined,
    defaultText: 'IC_MAX_DECODED_BYTES, or 256 MiB a worker where that is more',
    meaning: 'Decoded bytes that all running tasks may hold together, as estimated; large images wait for each other.',
  }),
  maxJpegScans: declare({
    ...integer(1, 100_000),
    env: 'IC_MAX_JPEG_SCANS',
    default: DEFAULT_MAX_JPEG_SCANS,
    meaning: 'Scans that a JPEG may have; each takes as long as a whole image to decode.',
  }),
  queueTasks: declare({
    ...integer(1, 100_000),
    env: 'IC_QUEUE_TASKS',
    default: 256,
    meaning: 'Tasks that may wait for a worker; one more is answered with 503.',
  }),
  queueSeconds: declare({
    ...integer(1, 3600),
    env: 'IC_QUEUE_SECONDS',
    default: 60,
    meaning:
      'Longest wait for a worker that a request is queued for, as estimated; one that would wait longer is answered with 503.',
  }),
  queueBytes: declare({
    ...bytes(MIB, 1024 * GIB),
    env: 'IC_QUEUE_BYTES',
    default: QUARTER_OF_MEMORY,
    defaultText: QUARTER_TEXT,
    meaning: 'Input bytes of all tasks waiting or running.',
  }),
  queuePixels: declare({
    ...integer(1, 10 ** 13),
    env: 'IC_QUEUE_PIXELS',
    default: 4_000_000_000,
    meaning: 'Estimated pixels of all tasks waiting or running.',
  }),
  uploadBytes: declare({
    ...bytes(MIB, 1024 * GIB),
    env: 'IC_UPLOAD_BYTES',
    default: QUARTER_OF_MEMORY,
    defaultText: QUARTER_TEXT,
    meaning: 'Bytes of all request bodies being received and results being sent.',
  }),
  uploadTimeoutSeconds: declare({
    ...integer(1, 3600),
    env: 'IC_UPLOAD_TIMEOUT_S',
    default: 120,
    meaning: 'Seconds in which a request body must have arrived.',
  }),
  taskTimeoutSeconds: declare({
    ...integer(1, 3600),
    env: 'IC_TASK_TIMEOUT_S',
    default: 30,
    meaning: 'Seconds of processor time that an ordinary operation may use.',
  }),
  ...STORAGE_SETTINGS,
  jobsRunning: declare({
    ...integer(1, 1000),
    env: 'IC_JOBS_RUNNING',
    default: 5,
    meaning: 'Jobs of one account that run at a time; further ones wait.',
  }),
  jobsQueued: declare({
    ...integer(1, 100_000),
    env: 'IC_JOBS_QUEUED',
    default: 50,
    meaning: 'Jobs of one account that may wait; one more is answered with 429.',
  }),
  scansRunning: declare({
    ...integer(1, 1000),
    env: 'IC_SCANS_RUNNING',
    default: 4,
    meaning: 'Website scans of all accounts together that are worked on at a time; further ones wait.',
  }),
  ...DELIVERY_SETTINGS,
  workerMemoryBytes: declare({
    ...bytes(64 * MIB, 64 * GIB),
    env: 'IC_WORKER_MEMORY_BYTES',
    default: 384 * MIB,
    meaning: 'A worker whose WebAssembly memory has grown by more than this many bytes is replaced after its task.',
  }),
};

type Settings = typeof SETTINGS;
type SettingName = keyof Settings;
const NAMES = Object.keys(SETTINGS) as SettingName[];

type Values = { [K in SettingName]: Settings[K]['default'] };

/** Settings whose defaults follow from other settings. */
type Derived = 'modelsDir' | 'mailFrom';

export type Config = Readonly<Omit<Values, Derived> & Record<Derived, string>>;

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads the settings from environment variables. An empty variable counts as unset, because
 * Compose files produce empty variables.
 * @throws Failure whose message has one sentence per line for every wrong or unknown variable
 */
export function loadConfig(env: Environment): Config {
  const faults: string[] = [];
  const values = Object.fromEntries(NAMES.map((name) => [name, readSetting(SETTINGS[name], env, faults)])) as Values;
  faults.push(...unknownNames(env));
  if (faults.length > 0) throw new Failure('invalid_parameter', faults.join('\n'));
  return Object.freeze({
    ...values,
    modelsDir: values.modelsDir ?? join(values.dataDir, 'models'),
    mailFrom: values.mailFrom ?? senderAt(values.baseUrl),
  });
}

function senderAt(baseUrl: string | undefined): string {
  const host = baseUrl === undefined ? '' : new URL(baseUrl).hostname;
  // An e-mail domain must be a name. URLs write IPv6 addresses in brackets.
  const isName = host !== '' && !host.startsWith('[') && isIP(host) === 0;
  return `Imagecrew <noreply@${isName ? host : 'localhost'}>`;
}

function readSetting(setting: Setting<unknown>, env: Environment, faults: string[]): unknown {
  const given = env[setting.env];
  if (given === undefined || given === '') return setting.default;
  const { success, data } = setting.schema.safeParse(given);
  if (success) return data;
  faults.push(faultOf(setting, setting.secret ? '***' : given));
  return undefined;
}

/** The sentence about a wrong value: of a list, about its first wrong item. */
function faultOf({ env, expected: what, item }: Setting<unknown>, given: string): string {
  if (!item) return expected(what, env, given);
  const wrong = item.firstWrong(given) ?? given;
  return expected(item.expected, wrong === given ? env : `an item of ${env}`, wrong);
}

function unknownNames(env: Environment): string[] {
  const known = new Set(NAMES.map((name) => SETTINGS[name].env));
  return Object.keys(env)
    .filter((name) => name.startsWith(PREFIX) && !known.has(name))
    .map((name) => {
      const nearest = findNearest(name, known);
      const hint = nearest === undefined ? ALL_SETTINGS : `Did you mean ${nearest}?`;
      return `${expected('the name of a setting', 'the environment', name)} ${hint}`;
    });
}

/** One setting as `imagecrew config` prints it. */
export interface ConfigRow {
  name: string;
  value: string;
  default: string;
  type: string;
  meaning: string;
}

/** Lists all settings with their current values. Secrets that are set read `***`. */
export function describeConfig(config: Config): ConfigRow[] {
  return NAMES.map((name) => {
    const setting: Setting<unknown> = SETTINGS[name];
    const value = displayValue(config[name]);
    return {
      name: setting.env,
      value: setting.secret && value !== '' ? '***' : value,
      default: setting.defaultText ?? displayValue(setting.default),
      type: setting.expected,
      meaning: setting.meaning,
    };
  });
}

const displayValue = (value: unknown): string => (value === undefined ? '' : String(value));
