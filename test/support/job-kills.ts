/**
 * Kills the service at random moments while it processes jobs of several accounts and answers requests. Checks that
 * nothing that was accepted is lost, cancelled or charged twice.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import sharp from 'sharp';
import { openSqlite } from '../../base/sqlite/open.ts';
import { issueKey } from '../../server/account/keys.ts';
import { openDatabase } from '../../storage/sqlite/database.ts';
import { withFolder } from './folder.ts';
import { withServer } from './http-server.ts';
import { Random } from './random.ts';
import { type ServeProcess, withServed } from './serve-process.ts';
import { jpeg, pattern } from './test-images.ts';

export interface KillsOptions {
  kills: number;
  seed: number;
}

export interface KillsReport {
  /** Descriptions of everything that is wrong; empty if nothing is. */
  problems: string[];
  kills: number;
  jobs: Record<string, number>;
  /** Number of images by status or, if they failed, by error code. */
  images: Record<string, number>;
  /** Number of images by how often a worker has started them. */
  attempts: Record<string, number>;
  /** Images in work at the moment of a kill, summed over all kills. */
  inWork: number;
  /** Number of image fetches. */
  fetches: number;
  /** Number of result files without a record that were found after kills. */
  orphans: number;
  /** Number of webhook deliveries, and of different messages among them. */
  deliveries: number;
  messages: number;
  /** Requests besides the jobs: answered, and cut off by a kill. */
  requests: { answered: number; cutOff: number };
  /** Credits charged to all accounts: for images of jobs, and for requests. */
  charged: { jobs: number; requests: number };
}

interface TestAccount {
  name: string;
  /** Number of images in each job. */
  images: number;
  uploads: boolean;
  /** Number of jobs that are kept open. */
  open: number;
}

const TEST_ACCOUNTS: readonly TestAccount[] = [
  { name: 'large', images: 20, uploads: false, open: 1 },
  { name: 'medium', images: 4, uploads: true, open: 2 },
  { name: 'small', images: 1, uploads: false, open: 2 },
];

const IMAGES = 20;
/** Index of an image that takes a worker several times as long as the others. */
const SLOW_IMAGE = 7;
/**
 * The process is killed after at most this many images and webhooks and then at most this delay, so that kills hit
 * every kind of moment.
 */
const MAX_EVENTS = 10;
const MAX_DELAY_MS = 1000;
/** Number of clients that send requests besides the jobs, for one account after the other. */
const CLIENTS = 3;
const REQUEST_PAUSE_MS = 500;

interface Account extends TestAccount {
  id: string;
  authorization: string;
}

interface Job {
  account: Account;
  /** Value of its Idempotency-Key header. */
  key: string;
  /** Index of its first image. */
  firstImage: number;
  /** Set once the job was accepted. */
  id: string | undefined;
}

interface Item {
  jobId: string;
  position: number;
  status: string;
  errorCode: string | null;
  attempts: number;
  fileId: string | null;
  requests: number;
}

interface DatabaseSnapshot {
  jobs: { id: string; accountId: string; status: string }[];
  items: Item[];
  files: { id: string; bytes: number; sha256: string }[];
  /** By account or key. */
  meters: Map<string, number>;
  reserved: number;
  usage: { accountId: string; operation: string; requests: number }[];
  keys: { id: string; accountId: string }[];
}

function readSnapshot(dataDir: string): DatabaseSnapshot {
  const file = openSqlite(join(dataDir, 'imagecrew.sqlite'), { readonly: true });
  try {
    const read = <T>(sql: string) => file.prepare(sql).all() as T[];
    const meters = read<{ subject: string; n: number }>('select subject, sum(requests) as n from meters group by 1');
    return {
      jobs: read('select id, account_id as accountId, status from jobs'),
      items: read(
        `select job_id as jobId, position, status, error_code as errorCode, attempts, file_id as fileId, requests
         from job_items order by job_id, position`,
      ),
      files: read('select id, bytes, sha256 from files where removed_at is null'),
      meters: new Map(meters.map(({ subject, n }) => [subject, n])),
      reserved: read<{ n: number | null }>('select sum(reserved_requests + reserved_ai) as n from meters')[0]?.n ?? 0,
      usage: read('select account_id as accountId, operation, sum(requests) as requests from usage group by 1, 2'),
      keys: read('select id, account_id as accountId from keys'),
    };
  } finally {
    file.close();
  }
}

async function storedNames(dataDir: string): Promise<string[]> {
  const entries = await readdir(join(dataDir, 'files'), { withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
}

/** What the service connects to: the images of jobs, and the receiver of their webhooks. */
class ExternalServers {
  fetches = 0;
  /** Ids of the received messages, by job. */
  readonly received = new Map<string, string[]>();
  /** Called for each image and each webhook. */
  onRequest: (isWebhook: boolean) => void = () => {};
  readonly #images: readonly Buffer[];

  constructor(images: readonly Buffer[]) {
    this.#images = images;
  }

  readonly answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.method === 'POST') {
      const { data } = (await json(request)) as { data: { id: string } };
      this.received.set(data.id, [...(this.received.get(data.id) ?? []), String(request.headers['webhook-id'])]);
      response.end();
    } else {
      this.fetches += 1;
      response.end(this.#images[Number(/(\d+)\.jpg$/.exec(request.url ?? '')?.[1])]);
    }
    this.onRequest(request.method === 'POST');
  };
}

async function makeImages(): Promise<Buffer[]> {
  const images = await Promise.all(Array.from({ length: IMAGES }, (_, n) => jpeg(pattern(360 + n, 240))));
  const small = await jpeg(pattern(600, 400));
  // A PNG is decoded at its full size.
  images[SLOW_IMAGE] = await sharp(small).resize(3600, 2400, { kernel: 'nearest' }).png().toBuffer();
  return images;
}

/** Runs the test. Errors of the service are listed in the report, not thrown. */
export async function killDuringJobs({ kills, seed }: KillsOptions): Promise<KillsReport> {
  const images = await makeImages();
  const surroundings = new ExternalServers(images);
  return await withServer(
    (request, response) => void surroundings.answer(request, response),
    async ({ origin }) =>
      await withFolder(async (dataDir) => {
        const accounts = await createAccounts(dataDir);
        const test = new KillTest({ dataDir, origin, surroundings, images, accounts, random: new Random(seed) });
        await test.run(kills);
        return await test.check(kills);
      }),
  );
}

async function createAccounts(dataDir: string): Promise<Account[]> {
  const database = await openDatabase(dataDir);
  try {
    const accounts: Account[] = [];
    for (const sender of TEST_ACCOUNTS) {
      const { id } = await database.accounts.create({ name: sender.name, email: null, plan: 'pro' });
      const options = { name: 'k', mode: 'live' as const, scopes: [], monthlyLimit: null, expiresAt: null };
      const { key } = await issueKey(database.keys, { accountId: id, ...options });
      accounts.push({ ...sender, id, authorization: `Bearer ${key}` });
    }
    return accounts;
  } finally {
    await database.close();
  }
}

interface KillTestOptions {
  dataDir: string;
  origin: string;
  surroundings: ExternalServers;
  images: readonly Buffer[];
  accounts: readonly Account[];
  random: Random;
}

class KillTest {
  readonly #options: KillTestOptions;
  readonly #jobs: Job[] = [];
  /** Result files of the images that had ended before a kill, by job and position. */
  readonly #finished = new Map<string, string>();
  readonly #problems: string[] = [];
  readonly #requests = { answered: 0, cutOff: 0 };
  #inWork = 0;
  #orphans = 0;

  constructor(options: KillTestOptions) {
    this.#options = options;
  }

  async run(kills: number): Promise<void> {
    for (let killed = 0; killed < kills; killed += 1) await this.#serve((served) => this.#killOnce(served));
    await this.#serve(async (served) => {
      await this.#send(served, { onlyAgain: true });
      await this.#allWebhooks();
    });
  }

  async #serve(work: (served: ServeProcess) => Promise<void>): Promise<void> {
    await withServed(this.#options.dataDir, work, {
      IC_WORKERS: '2',
      IC_ALLOW_PRIVATE_ADDRESSES: '127.0.0.0/8',
      IC_ALLOW_HTTP_WEBHOOKS: 'true',
    });
  }

  /** Lets the service work under load, then kills it at a random moment. */
  async #killOnce(served: ServeProcess): Promise<void> {
    const { surroundings, random } = this.#options;
    const exited = once(served.child, 'exit');
    const delay = random.integer(MAX_DELAY_MS);
    let left = 1 + random.integer(MAX_EVENTS);
    let sending = this.#send(served);
    surroundings.onRequest = (isWebhook) => {
      left -= 1;
      if (left === 0) void setTimeout(delay).then(() => served.child.kill('SIGKILL'));
      if (isWebhook) sending = sending.then(() => this.#send(served));
    };
    const clients = Array.from({ length: CLIENTS }, (_, n) => this.#sendRequests(served, n));
    await Promise.all([exited, ...clients]);
    surroundings.onRequest = () => {};
    await sending;
    await this.#recordKill();
  }

  /** Sends requests until the process has ended. */
  async #sendRequests({ address, child }: ServeProcess, first: number): Promise<void> {
    const { accounts, images } = this.#options;
    for (let n = first; child.exitCode === null && child.signalCode === null; n += 1) {
      const { authorization } = accounts[n % accounts.length]!;
      try {
        const query = 'format=webp&width=100';
        const answer = await fetch(`${address}/api/v1/compress?${query}`, {
          method: 'POST',
          headers: { authorization },
          body: new Uint8Array(images[n % SLOW_IMAGE]!),
        });
        await answer.arrayBuffer();
        if (answer.ok) this.#requests.answered += 1;
        else if (answer.status < 500 && answer.status !== 429)
          this.#problems.push(`a request was answered ${answer.status}`);
        // Leaves time for the jobs, which have a lower priority than requests.
        await setTimeout(REQUEST_PAUSE_MS);
      } catch {
        this.#requests.cutOff += 1;
      }
    }
  }

  /**
   * Sends jobs until each account has enough open ones. First sends those again whose response was cut off by a kill.
   */
  async #send(served: ServeProcess, { onlyAgain = false } = {}): Promise<void> {
    const { accounts, surroundings, random } = this.#options;
    try {
      for (const job of this.#jobs.filter(({ id }) => id === undefined)) await this.#sendJob(served, job);
      for (const account of accounts) {
        const isOpen = ({ account: { id: owner }, id }: Job) => owner === account.id && !surroundings.received.has(id!);
        for (let open = this.#jobs.filter(isOpen).length; open < account.open && !onlyAgain; open += 1) {
          const key = `${account.name}-${this.#jobs.length}`;
          const job: Job = { account, key, firstImage: random.integer(IMAGES), id: undefined };
          this.#jobs.push(job);
          await this.#sendJob(served, job);
        }
      }
    } catch (error) {
      if (served.child.exitCode === null && served.child.signalCode === null && !served.child.killed) throw error;
    }
  }

  async #sendJob({ address }: ServeProcess, job: Job): Promise<void> {
    const { account, key } = job;
    const answer = await fetch(`${address}/api/v1/jobs`, {
      method: 'POST',
      headers: { authorization: account.authorization, 'idempotency-key': key, ...this.#bodyOf(job).headers },
      body: this.#bodyOf(job).body,
    });
    const record = (await answer.json()) as { id: string };
    assert.ok(answer.status === 202 || answer.status === 200, JSON.stringify(record));
    job.id = record.id;
  }

  #bodyOf({ account: { images, uploads }, firstImage }: Job): {
    headers: Record<string, string>;
    body: FormData | string;
  } {
    const { origin, images: files } = this.#options;
    const numbers = Array.from({ length: images }, (_, n) => (firstImage + n) % IMAGES);
    const steps = [
      { op: 'resize', params: { width: 160 } },
      { op: 'compress', params: { format: 'webp' } },
    ];
    const webhook_url = `${origin}/hook`;
    if (!uploads) {
      const inputs = numbers.map((n) => ({ url: `${origin}/${n}.jpg` }));
      return {
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ inputs, pipeline: { steps }, webhook_url }),
      };
    }
    const form = new FormData();
    for (const [position, n] of numbers.entries())
      form.set(position === 0 ? 'image' : `image_${position}`, new Blob([new Uint8Array(files[n]!)]), `${n}.jpg`);
    form.set('pipeline', JSON.stringify({ steps }));
    form.set('webhook_url', webhook_url);
    return { headers: {}, body: form };
  }

  /** Resolves when the webhook of every job has arrived. */
  async #allWebhooks(): Promise<void> {
    const { surroundings } = this.#options;
    while (this.#jobs.some(({ id }) => id === undefined || !surroundings.received.has(id)))
      await new Promise<void>((resolve) => {
        surroundings.onRequest = () => resolve();
      });
  }

  /** Records what a kill has left. */
  async #recordKill(): Promise<void> {
    const { dataDir } = this.#options;
    const { items, files, usage } = readSnapshot(dataDir);
    this.#inWork += items.filter(({ status }) => status === 'running').length;
    for (const { fileId, jobId, position } of items) if (fileId) this.#finished.set(`${jobId} ${position}`, fileId);
    const known = new Set(files.map(({ id }) => id));
    this.#orphans += (await storedNames(dataDir)).filter((name) => !known.has(name)).length;
    const charged = chargedFor(usage, 'pipeline');
    this.#expect('charges at a kill', charged, this.#finished.size);
  }

  #expect(what: string, received: unknown, expected: unknown): void {
    try {
      assert.deepEqual(received, expected);
    } catch {
      this.#problems.push(`${what}: expected ${JSON.stringify(expected)} but received ${JSON.stringify(received)}`);
    }
  }

  async check(kills: number): Promise<KillsReport> {
    const books = readSnapshot(this.#options.dataDir);
    const { jobs, items, usage } = books;
    this.#checkItems(books);
    await this.#checkFiles(books);
    this.#checkCharges(books);
    const { received, fetches } = this.#options.surroundings;
    this.#expect('jobs with a webhook', [...received.keys()].sort(), jobs.map(({ id }) => id).sort());
    for (const ids of received.values()) this.#expect('ids of the webhooks of a job', new Set(ids).size, 1);
    const messages = [...received.values()].flat();
    return {
      problems: this.#problems,
      kills,
      jobs: count(jobs.map(({ status }) => status)),
      images: count(items.map(({ status, errorCode }) => errorCode ?? status)),
      attempts: count(items.map(({ attempts }) => String(attempts))),
      inWork: this.#inWork,
      fetches,
      orphans: this.#orphans,
      deliveries: messages.length,
      messages: new Set(messages).size,
      requests: this.#requests,
      charged: { jobs: chargedFor(usage, 'pipeline'), requests: chargedFor(usage, 'compress') },
    };
  }

  /** Checks that every accepted image has ended once, and that none failed because of another one. */
  #checkItems({ jobs, items }: DatabaseSnapshot): void {
    this.#expect('jobs', jobs.map(({ id }) => id).sort(), this.#jobs.map(({ id }) => id).sort());
    for (const { id, account } of this.#jobs) {
      const positions = items.filter(({ jobId }) => jobId === id).map(({ position }) => position);
      this.#expect(
        `images of ${id}`,
        positions,
        Array.from({ length: account.images }, (_, n) => n),
      );
    }
    const lost = items.filter(({ status, errorCode }) => status !== 'done' && errorCode !== 'interrupted');
    this.#expect('images that ended neither well nor as interrupted', lost.length, 0);
    const early = items.filter(({ errorCode, attempts }) => errorCode === 'interrupted' && attempts !== 3);
    this.#expect('images interrupted fewer than three times', early.length, 0);
    for (const { jobId, position, fileId } of items) {
      const finished = this.#finished.get(`${jobId} ${position}`);
      // Finished images were not processed again.
      if (finished !== undefined) this.#expect('the file of a finished image', fileId, finished);
    }
  }

  /** Checks that every result exists once, is complete and equals the result of the same image in other jobs. */
  async #checkFiles({ items, files }: DatabaseSnapshot): Promise<void> {
    const { dataDir } = this.#options;
    const done = items.filter(({ status }) => status === 'done');
    this.#expect('results', new Set(done.map(({ fileId }) => fileId)).size, done.length);
    this.#expect('files', (await storedNames(dataDir)).sort(), files.map(({ id }) => id).sort());
    this.#expect('records of files', files.length, done.length);
    const records = new Map(files.map((file) => [file.id, file]));
    const digests = new Map<number, Set<string>>();
    for (const { jobId, position, fileId } of done) {
      const data = await readFile(join(dataDir, 'files', fileId!));
      const sha256 = createHash('sha256').update(data).digest('hex');
      const record = records.get(fileId!);
      this.#expect('a result', [data.length, sha256], [record?.bytes, record?.sha256]);
      const job = this.#jobs.find(({ id }) => id === jobId);
      const image = ((job?.firstImage ?? 0) + position) % IMAGES;
      digests.set(image, (digests.get(image) ?? new Set()).add(sha256));
    }
    for (const [image, results] of digests) this.#expect(`different results of image ${image}`, results.size, 1);
  }

  /** Checks that every finished image was charged once, in the usage records and in both counters. */
  #checkCharges({ jobs, items, usage, meters, keys, reserved }: DatabaseSnapshot): void {
    for (const { id, name } of this.#options.accounts) {
      const ids = new Set(jobs.filter(({ accountId }) => accountId === id).map((job) => job.id));
      const done = items.filter(({ jobId, status }) => ids.has(jobId) && status === 'done');
      const own = usage.filter(({ accountId }) => accountId === id);
      const key = keys.find(({ accountId }) => accountId === id)!.id;
      const all = own.reduce((sum, { requests }) => sum + requests, 0);
      this.#expect(`charges of ${name}`, chargedFor(own, 'pipeline'), done.length);
      this.#expect(`counters of ${name}`, [meters.get(id) ?? 0, meters.get(key) ?? 0], [all, all]);
    }
    const costs = new Set(items.map(({ status, requests }) => `${status === 'done'} ${requests}`));
    this.#expect(
      'costs',
      [...costs].filter((cost) => cost !== 'true 1' && cost !== 'false 0'),
      [],
    );
    this.#expect('reserved credits', reserved, 0);
    // A request that was cut off may have been charged just before.
    const { answered, cutOff } = this.#requests;
    const requests = chargedFor(usage, 'compress');
    if (requests < answered || requests > answered + cutOff)
      this.#problems.push(`${requests} requests were charged; ${answered} were answered and ${cutOff} cut off`);
  }
}

function chargedFor(usage: DatabaseSnapshot['usage'], operation: string): number {
  return usage.filter((each) => each.operation === operation).reduce((sum, { requests }) => sum + requests, 0);
}

function count(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of [...names].sort()) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}
