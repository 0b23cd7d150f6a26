/** Uploads an object, in one request or in parts. In both cases it becomes visible when all of it is there. */
import type { S3Client } from './client.ts';
import { lastError, S3Error } from './errors.ts';
import { PART_BYTES, type Part } from './parts.ts';
import { elementsOf } from './xml.ts';

/** S3 takes no more. */
const MAX_PARTS = 10_000;

/** The largest file: 80 GiB. */
const MAX_BYTES = MAX_PARTS * PART_BYTES;

const HEADERS = { 'content-type': 'application/octet-stream' };

export interface UploadOptions {
  client: S3Client;
  key: string;
  parts: Iterable<Part> | AsyncIterable<Part>;
  /** Ids of uploads in parts that are running. */
  running: Set<string>;
}

/** Stores an object. Nothing of it is left if this throws; parts that cannot be removed then are removed by a sweep. */
export async function upload({ client, key, parts, running }: UploadOptions): Promise<void> {
  let inParts: UploadInParts | undefined;
  try {
    for await (const { data, isLast } of parts) {
      if (isLast && !inParts) {
        await client.send({ method: 'PUT', key, headers: HEADERS, body: data });
        return;
      }
      inParts ??= await UploadInParts.begin(client, key, running);
      await inParts.send(data);
    }
    await inParts?.complete();
  } catch (error) {
    await inParts?.abort();
    throw error;
  } finally {
    inParts?.end();
  }
}

/** Removes the parts of an upload. One that is gone is not an error. */
export async function abortUpload(client: S3Client, key: string, uploadId: string): Promise<void> {
  try {
    await client.send({ method: 'DELETE', key, query: { uploadId } });
  } catch (error) {
    if (!isGone(error)) throw error;
  }
}

const isGone = (error: unknown): boolean => error instanceof S3Error && error.code === 'NoSuchUpload';

class UploadInParts {
  readonly #client: S3Client;
  readonly #key: string;
  readonly #id: string;
  readonly #running: Set<string>;
  readonly #etags: string[] = [];
  #bytes = 0;

  private constructor(client: S3Client, key: string, id: string, running: Set<string>) {
    this.#client = client;
    this.#key = key;
    this.#id = id;
    this.#running = running;
    running.add(id);
  }

  static async begin(client: S3Client, key: string, running: Set<string>): Promise<UploadInParts> {
    const { text } = await client.send({ method: 'POST', key, query: { uploads: '' }, headers: HEADERS });
    const [started] = elementsOf(text, 'InitiateMultipartUploadResult');
    if (started?.UploadId === undefined) throw new S3Error(`POST ${key}?uploads`, 200, 'no_upload_id');
    return new UploadInParts(client, key, started.UploadId, running);
  }

  async send(data: Uint8Array): Promise<void> {
    const part = this.#etags.length + 1;
    if (part > MAX_PARTS)
      throw new RangeError(`Expected a file of at most ${MAX_BYTES} bytes but received a larger one.`);
    const { headers } = await this.#client.send({
      ...{ method: 'PUT', key: this.#key, query: { partNumber: String(part), uploadId: this.#id } },
      body: data,
    });
    this.#etags.push(headers.etag ?? '');
    this.#bytes += data.byteLength;
  }

  /** Puts the parts together. The store may answer with 200 before it has done so, and then report an error. */
  async complete(): Promise<void> {
    const list = this.#etags.map((etag, at) => `<Part><PartNumber>${at + 1}</PartNumber><ETag>${etag}</ETag></Part>`);
    const body = Buffer.from(`<CompleteMultipartUpload>${list.join('')}</CompleteMultipartUpload>`);
    try {
      const { text } = await this.#client.send({
        ...{ method: 'POST', key: this.#key, query: { uploadId: this.#id }, body },
        headers: { 'content-type': 'application/xml' },
      });
      const [error] = elementsOf(text, 'Error');
      if (error) throw lastError(new S3Error(`POST ${this.#key}?uploadId`, 500, error.Code));
    } catch (error) {
      if (!(await this.#isStored(error))) throw error;
    }
  }

  /** Whether the answer to an earlier attempt, which has succeeded, was lost. */
  async #isStored(error: unknown): Promise<boolean> {
    if (!isGone(error)) return false;
    const { headers } = await this.#client.send({ method: 'HEAD', key: this.#key });
    return Number(headers['content-length']) === this.#bytes;
  }

  /** Removes the parts, if the store can be reached. */
  async abort(): Promise<void> {
    await abortUpload(this.#client, this.#key, this.#id).catch(() => {});
  }

  end(): void {
    this.#running.delete(this.#id);
  }
}
