/** One image of a job: from its source to the transaction that keeps its result, its charge and its end together. */
import type { SourceFile } from '../../engine/task.ts';
import type { Repositories } from '../../storage/database.ts';
import type { Job, JobItem } from '../../storage/repositories/jobs.ts';
import { timestamp } from '../../storage/schema.ts';
import type { Caller } from '../account/authenticate.ts';
import type { Cost } from '../account/credits.ts';
import type { Traffic } from '../account/ledger.ts';
import type { Services } from '../http/endpoint.ts';
import type { UploadRoom } from '../http/uploads.ts';
import type { SentStep } from '../pipelines/parse.ts';
import { endIfComplete } from './end.ts';
import { accountDisabled } from './errors.ts';
import type { ItemResult } from './record.ts';
import { JobSources } from './sources.ts';
import type { WorkLock } from './work-lock.ts';

/** An image with what is to be done to it. */
export interface ItemOrder {
  caller: Caller;
  job: Job;
  image: SourceFile;
  watermark?: SourceFile;
  /** Of the image in its job, from 1. */
  index: number;
  signal: AbortSignal;
  /** Called when the engine accounts for the bytes. */
  onAdmitted: () => void;
  /** Called whenever a worker starts a task of it. */
  onStart: () => void;
}

/** A result that nobody has been charged for yet: one of the last two is to be called. */
export interface ExecutedItem {
  data: ArrayBuffer;
  description: Omit<ItemResult, 'expires_at' | 'sha256'>;
  originalBytes: number;
  cost: Cost;
  charge(traffic: Traffic, inTransaction: (repositories: Repositories) => Promise<void>): Promise<void>;
  release(bytesIn: number): Promise<void>;
}

export type ExecuteItem = (order: ItemOrder) => Promise<ExecutedItem>;

/** What the item works with. */
export type ItemServices = Pick<
  Services,
  'database' | 'results' | 'jobs' | 'outgoing' | 'uploads' | 'plans' | 'now' | 'baseUrl'
>;

/** The item is no longer in our hands: its job was cancelled, or somebody else has taken it up. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
}

/** An item waits for its source, then for a worker and its work, then for the disk. */
export type ItemPhase = 'source' | 'work' | 'keep';

export interface ItemWork {
  job: Job;
  item: JobItem;
  signal: AbortSignal;
  lock: WorkLock;
  /** Called with what is done from now on. */
  onPhase: (phase: ItemPhase) => void;
  /** Called whenever a worker starts a task of it. */
  onStart: () => void;
}

export interface ItemEnd {
  /** Whether the job has ended with it. */
  jobEnded: boolean;
  bytesIn: number;
  bytesOut: number;
  outcome: string;
}

/**
 * Does what is to be done to an image.
 * @throws Failure of the image or of the service; LeaseLost, when nothing was kept; the reason of the signal
 */
export async function runItem(work: ItemWork, services: ItemServices, execute: ExecuteItem): Promise<ItemEnd> {
  const { job, item, signal, lock, onStart } = work;
  const room = services.uploads.open();
  try {
    const caller = await callerOf(job, services);
    const image = await readSource(work, caller, room, services);
    const watermark = await readWatermark(job, room, image, services);
    work.onPhase('work');
    const bytesIn = image.data.byteLength;
    const order = { caller, job, image, ...(watermark && { watermark }), index: item.position + 1, signal, onStart };
    const leave = await lock.enter(item.attempts > 0, signal);
    const executed = await execute({ ...order, onAdmitted: () => room.release() }).finally(leave);
    try {
      signal.throwIfAborted();
      work.onPhase('keep');
      return await keep(work, executed, bytesIn, services);
    } catch (error) {
      await executed.release(bytesIn).catch(() => {});
      throw error;
    }
  } finally {
    room.release();
  }
}

async function callerOf({ accountId, keyId }: Job, { database }: ItemServices): Promise<Caller> {
  const account = await database.accounts.find(accountId);
  const key = await database.keys.find(keyId, accountId);
  // A key that was revoked since is no reason: the job was accepted, and its owner may cancel it.
  if (!account || account.disabled || !key) throw accountDisabled();
  return { account, key };
}

async function readSource(
  { item, signal }: ItemWork,
  { account, key }: Caller,
  room: UploadRoom,
  { outgoing, jobs, plans }: ItemServices,
): Promise<SourceFile> {
  const maxBytes = plans.fileLimitBytes(account, key);
  const reserve = (bytes: number) => room.reserve(bytes);
  if (item.sourceKind === 'url') {
    const { data, filename } = await outgoing.fetchImage(item.source, { maxBytes, signal, reserve });
    return { data, ...(filename === undefined ? {} : { filename }) };
  }
  const data = await jobs.sources.read(item.source, reserve);
  return { data, ...(item.filename === null ? {} : { filename: item.filename }) };
}

/** The image of a watermark step, where the job has one. */
async function readWatermark(
  { id, steps }: Job,
  room: UploadRoom,
  { data: image }: SourceFile,
  { jobs }: ItemServices,
): Promise<SourceFile | undefined> {
  const sent = JSON.parse(steps) as SentStep[];
  if (!sent.some(({ op, params }) => op === 'watermark' && params.logo === true)) return undefined;
  const name = JobSources.watermarkOf(id);
  return { data: await jobs.sources.read(name, (bytes) => room.reserve(image.byteLength + bytes)) };
}

/** Keeps everything, or nothing. */
async function keep(
  { job, item }: ItemWork,
  { data, description, originalBytes, cost, charge }: ExecutedItem,
  bytesIn: number,
  { results, now, baseUrl }: ItemServices,
): Promise<ItemEnd> {
  const { filename, content_type: contentType, format, width, height } = description;
  const bytesOut = data.byteLength;
  // An upload is removed when its result is kept: if both had to fit, uploads that fill the storage could never be worked off.
  const replacedBytes = item.sourceKind === 'file' ? bytesIn : 0;
  const stored = { data, replacedBytes, filename, contentType, format, width, height };
  const file = await results.write(job.accountId, stored);
  const result: ItemResult = { ...description, expires_at: file.expiresAt, sha256: file.sha256 };
  let jobEnded = false;
  try {
    await charge({ bytesIn, bytesOut }, async (repositories) => {
      const finishedAt = timestamp(now());
      await repositories.files.insert(file);
      const done = { fileId: file.id, result: JSON.stringify(result), originalBytes, bytes: bytesOut, finishedAt };
      if (!(await repositories.jobQueue.complete(item, { ...done, ...cost }))) throw new LeaseLost();
      jobEnded = await endIfComplete(repositories, job.id, finishedAt, baseUrl);
    });
  } catch (error) {
    await results.discard(file);
    throw error;
  }
  return { jobEnded, bytesIn, bytesOut, outcome: description.outcome };
}
