/** The stores of a bucket, and whether it can be used. */
import { Failure } from '../../base/failure.ts';
import { newId } from '../../base/id.ts';
import { LimitedProbe } from '../limited-probe.ts';
import type { OpenFileStore } from '../ports/file-store.ts';
import type { Writability, WriteProbe } from '../ports/write-probe.ts';
import type { StorageQuota } from '../quota.ts';
import { S3Client, type S3ClientOptions } from './client.ts';
import { s3Fault } from './errors.ts';
import { listObjects, listUploads } from './listing.ts';
import { S3Files } from './s3-files.ts';
import { type S3Config, s3Settings } from './settings.ts';

/** A request to the store costs money. */
const PROBE_INTERVAL_MS = 10_000;
const PROBE_TIMEOUT_MS = 3000;

export interface S3StoreOptions extends S3ClientOptions {
  quota: StorageQuota;
  /** The clock, in milliseconds. */
  now: () => number;
  /** Whether clients may read results from the store itself. */
  redirects: boolean;
}

export interface S3Store {
  openFiles: OpenFileStore;
  probe: WriteProbe;
}

/**
 * Opens the store after trying everything that the service does with it.
 * @throws Failure that says what is wrong, and the setting to change
 */
export async function openS3Store(config: S3Config, { onFault, ...options }: S3StoreOptions): Promise<S3Store> {
  const settings = s3Settings(config);
  await checkS3Store(config);
  const client = new S3Client(settings, onFault && { onFault });
  return {
    openFiles: (name) => S3Files.open({ client, name, ...options }),
    probe: new LimitedProbe(() => probe(client), {
      ...{ intervalMs: PROBE_INTERVAL_MS, timeoutMs: PROBE_TIMEOUT_MS, late: 'unreachable', now: options.now },
    }),
  };
}

async function probe(client: S3Client): Promise<Writability> {
  return await client.send({ method: 'GET', query: { 'list-type': '2', 'max-keys': '1' } }).then(
    () => 'ok',
    () => 'unreachable',
  );
}

/**
 * Writes, reads, lists and removes a small object.
 * @returns the bucket and the host, for people
 * @throws Failure as {@link openS3Store}
 */
export async function checkS3Store(config: S3Config): Promise<string> {
  const settings = s3Settings(config);
  const client = new S3Client(settings);
  const key = `checks/${newId('file')}`;
  try {
    await client.send({ method: 'PUT', key, body: Buffer.from('Imagecrew') });
    await client.send({ method: 'GET', key });
    for await (const _ of listObjects(client, key)) break;
    for await (const _ of listUploads(client, key)) break;
    await client.send({ method: 'DELETE', key });
  } catch (error) {
    throw new Failure('internal_error', s3Fault(error, settings), { cause: error });
  }
  return `${config.storageUrl} at ${new URL(settings.bucketUrl).host}`;
}
