/** Kills the service at random moments while it works on jobs, and checks that nothing is lost and nothing done twice. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import SqliteDatabase from 'better-sqlite3';
import { withFolder } from './folder.ts';
import { withServer } from './http-server.ts';
import { jpeg, pattern } from './pictures.ts';
import { Random } from './random.ts';
import { type Served, withServed } from './served.ts';

export interface KillsOptions {
  kills: number;
  seed: number;
}

export interface KillsReport {
  jobs: number;
  images: number;
  kills: number;
  /** Images that were in work when the process was killed, over all kills. */
  inWork: number;
  /** Kills by how many images of their job had ended. */
  endedAtKills: number[];
  /** How often images were fetched. */
  fetches: number;
  /** Bytes of results that no record named, found after kills. */
  orphans: number;
  /** Deliveries of webhooks, and how many different messages. */
  deliveries: number;
  messages: number;
  /** Credits that the account has used. */
  used: number;
}

const IMAGES = 40;
/** An image is tried three times, and it may be the same one that is in work at each kill. */
const KILLS_OF_A_JOB = 2;
/** After a request for an image, so that moments of every kind are met: fetching, working, writing, committing. */
const LONGEST_DELAY_MS = 400;

interface Item {
  jobId: string;
  position: number;
  status: string;
  source: string;
  fileId: string | null;
  requests: number;
}

interface Books {
  items: Item[];
  files: { id: string; bytes: number; sha256: string }[];
  used: number;
  usedByKey: number;
  reserved: number;
  inUsage: number;
}

function readBooks(dataDir: string): Books {
  const file = new SqliteDatabase(join(dataDir, 'imagecrew.sqlite'), { readonly: true });
  try {
    const read = <T>(sql: string) => file.prepare(sql).all() as T[];
    const number = (sql: string) => read<{ n: number | null }>(sql)[0]?.n ?? 0;
    return {
      items: read(
        'select job_id as jobId, position, status, source, file_id as fileId, requests from job_items order by job_id, position',
      ),
      files: read('select id, bytes, sha256 from files where removed_at is null'),
      used: number('select sum(requests) as n from meters where subject in (select id from accounts)'),
      usedByKey: number('select sum(requests) as n from meters where subject in (select id from keys)'),
      reserved: number('select sum(reserved_requests + reserved_ai) as n from meters'),
      inUsage: number("select sum(requests) as n from usage where operation = 'pipeline'"),
    };
  } finally {
    file.close();
  }
}

async function storedNames(dataDir: string): Promise<string[]> {
  const entries = await readdir(join(dataDir, 'files'), { withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
}

/** What the service reaches: the images of jobs, and the receiver of their webhooks. */
class Surroundings {
  readonly fetched: string[] = [];
  /** Of each job the ids of the messages that have come. */
  readonly received = new Map<string, string[]>();
  /** Told of each request for an image. */
  onFetch: () => void = () => {};
  readonly #images: readonly Buffer[];
  #told: () => void = () => {};

  constructor(images: readonly Buffer[]) {
    this.#images = images;
  }

  readonly answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.method === 'POST') {
      const { data } = (await json(request)) as { data: { id: string } };
      this.received.set(data.id, [...(this.received.get(data.id) ?? []), String(request.headers['webhook-id'])]);
      response.end();
      this.#told();
      return;
    }
    const path = request.url ?? '';
    this.fetched.push(path);
    this.onFetch();
    response.end(this.#images[Number(/(\d+)\.jpg$/.exec(path)?.[1])]);
  };

  /** Resolves when the webhook of a job has come. */
  async ended(jobId: string): Promise<void> {
    while (!this.received.has(jobId))
      await new Promise<void>((resolve) => {
        this.#told = resolve;
      });
  }
}

/**
 * Runs jobs of 40 images, each killed twice.
 * @throws AssertionError when a result is missing or doubled, or anything was counted that was not done
 */
export async function killDuringJobs({ kills, seed }: KillsOptions): Promise<KillsReport> {
  const random = new Random(seed);
  const images = await Promise.all(Array.from({ length: IMAGES }, (_, n) => jpeg(pattern(360 + n, 240))));
  const surroundings = new Surroundings(images);
  return await withServer(
    (request, response) => void surroundings.answer(request, response),
    async ({ origin }) =>
      await withFolder(async (dataDir) => {
        const house = new House(dataDir, origin, surroundings, random);
        await house.run(kills);
        return await house.check(kills);
      }),
  );
}

class House {
  readonly #dataDir: string;
  readonly #origin: string;
  readonly #surroundings: Surroundings;
  readonly #random: Random;
  readonly #jobIds: string[] = [];
  readonly #endedAtKills: number[] = [];
  /** Files of the images that had ended when the process was killed. */
  readonly #finished = new Map<string, string>();
  #authorization = '';
  #killsOfJob = 0;
  #inWork = 0;
  #orphans = 0;

  constructor(dataDir: string, origin: string, surroundings: Surroundings, random: Random) {
    this.#dataDir = dataDir;
    this.#origin = origin;
    this.#surroundings = surroundings;
    this.#random = random;
  }

  /** The first job is not disturbed: the results of all others must be the same. */
  async run(kills: number): Promise<void> {
    for (let killed = 0; killed < kills; killed += 1)
      await this.#serve(async (served) => {
        if (killed === 0) await this.#surroundings.ended(await this.#send(served));
        await this.#killOnce(served);
      });
    await this.#serve(async () => await this.#surroundings.ended(this.#jobIds.at(-1)!));
  }

  async #serve(work: (served: Served) => Promise<void>): Promise<void> {
    await withServed(
      this.#dataDir,
      async (served) => {
        this.#authorization ||= `Bearer ${/ic_live_\w+/.exec(served.greeting)?.[0]}`;
        await work(served);
      },
      { IC_WORKERS: '2', IC_ALLOW_PRIVATE_ADDRESSES: '127.0.0.0/8', IC_ALLOW_HTTP_WEBHOOKS: 'true' },
    );
  }

  async #send({ address }: Served): Promise<string> {
    const batch = this.#jobIds.length;
    const answer = await fetch(`${address}/api/v1/jobs`, {
      method: 'POST',
      headers: { authorization: this.#authorization, 'content-type': 'application/json' },
      body: JSON.stringify({
        inputs: Array.from({ length: IMAGES }, (_, n) => ({ url: `${this.#origin}/${batch}/${n}.jpg` })),
        pipeline: {
          steps: [
            { op: 'resize', params: { width: 160 } },
            { op: 'compress', params: { format: 'webp' } },
          ],
        },
        webhook_url: `${this.#origin}/hook`,
      }),
    });
    const body = (await answer.json()) as { id: string };
    assert.equal(answer.status, 202, JSON.stringify(body));
    this.#jobIds.push(body.id);
    return body.id;
  }

  /** Begins a job, or goes on with the last one, and kills the process at a random moment of it. */
  async #killOnce(served: Served): Promise<void> {
    const exited = once(served.child, 'exit');
    const isNew = this.#jobIds.length === 1 || this.#killsOfJob === KILLS_OF_A_JOB;
    // The image whose fetching sets the moment: so many are still to come at least.
    const left = isNew ? IMAGES : this.#itemsOf(this.#jobIds.at(-1)!, readBooks(this.#dataDir), 'open').length;
    let until = 1 + this.#random.integer(Math.max(1, left));
    const delay = this.#random.integer(LONGEST_DELAY_MS);
    const kill = () => setTimeout(() => served.child.kill('SIGKILL'), delay);
    // The one before is finished first: what it has still to fetch is not what is counted here.
    if (isNew) await this.#surroundings.ended(this.#jobIds.at(-1)!);
    this.#surroundings.onFetch = () => {
      until -= 1;
      if (until === 0) kill();
    };
    if (isNew) {
      this.#killsOfJob = 0;
      await this.#send(served);
    } else if (left === 0) kill();
    await exited;
    this.#surroundings.onFetch = () => {};
    this.#killsOfJob += 1;
    await this.#look();
  }

  /** Notes what a kill has left. */
  async #look(): Promise<void> {
    const books = readBooks(this.#dataDir);
    const jobId = this.#jobIds.at(-1)!;
    this.#endedAtKills.push(this.#itemsOf(jobId, books, 'ended').length);
    this.#inWork += books.items.filter(({ status }) => status === 'running').length;
    for (const { fileId, source } of books.items) if (fileId) this.#finished.set(source, fileId);
    const known = new Set(books.files.map(({ id }) => id));
    this.#orphans += (await storedNames(this.#dataDir)).filter((name) => !known.has(name)).length;
    // What was charged is what has ended, at this moment too.
    assert.equal(books.used, this.#finished.size);
  }

  #itemsOf(jobId: string, { items }: Books, which: 'open' | 'ended'): Item[] {
    const isOpen = ({ status }: Item) => status === 'queued' || status === 'running';
    return items.filter((item) => item.jobId === jobId && isOpen(item) === (which === 'open'));
  }

  async check(kills: number): Promise<KillsReport> {
    const books = readBooks(this.#dataDir);
    const images = this.#jobIds.length * IMAGES;
    // Every result is there exactly once.
    assert.equal(books.items.length, images);
    assert.deepEqual([...new Set(books.items.map(({ status }) => status))], ['done']);
    assert.equal(new Set(books.items.map(({ fileId }) => fileId)).size, images);
    assert.deepEqual((await storedNames(this.#dataDir)).sort(), books.files.map(({ id }) => id).sort());
    const files = new Map(books.files.map((file) => [file.id, file]));
    assert.equal(files.size, images);
    const digests = new Map<string, string[]>();
    for (const { jobId, fileId } of books.items) {
      const data = await readFile(join(this.#dataDir, 'files', fileId!));
      const { bytes, sha256 } = files.get(fileId!)!;
      assert.deepEqual([data.length, createHash('sha256').update(data).digest('hex')], [bytes, sha256]);
      digests.set(jobId, [...(digests.get(jobId) ?? []), sha256]);
    }
    const undisturbed = digests.get(this.#jobIds[0]!)!;
    assert.equal(new Set(undisturbed).size, IMAGES);
    for (const results of digests.values()) assert.deepEqual(results, undisturbed);
    // What had ended was not done again.
    for (const { source, fileId } of books.items)
      if (this.#finished.has(source)) assert.equal(fileId, this.#finished.get(source));
    // And everything was charged once.
    assert.deepEqual([books.used, books.usedByKey, books.inUsage, books.reserved], [images, images, images, 0]);
    assert.deepEqual([...new Set(books.items.map(({ requests }) => requests))], [1]);
    // Each job was told of, again and again perhaps, but with one id.
    const { received, fetched } = this.#surroundings;
    assert.deepEqual([...received.keys()].sort(), [...this.#jobIds].sort());
    for (const ids of received.values()) assert.equal(new Set(ids).size, 1);
    assert.ok(fetched.length >= images && fetched.length <= images + this.#inWork);
    const messages = [...received.values()].flat();
    return {
      jobs: this.#jobIds.length,
      images,
      kills,
      inWork: this.#inWork,
      endedAtKills: this.#endedAtKills,
      fetches: fetched.length,
      orphans: this.#orphans,
      deliveries: messages.length,
      messages: new Set(messages).size,
      used: books.used,
    };
  }
}
