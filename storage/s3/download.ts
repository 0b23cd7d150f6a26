/** Reads an object as a stream. If the connection is lost, the rest is asked for again. */
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { headerOf, timeoutMessage, UpstreamError } from '../../base/http-request.ts';
import type { ByteRange } from '../ports/file-store.ts';
import type { S3Client } from './client.ts';
import { isMissing } from './errors.ts';

/** How long the store may take for the next bytes. Time in which nobody reads them does not count. */
const STALL_MS = 30_000;
const MAX_RESUMES = 3;

/** Opens an object; undefined when there is none. */
export async function download(client: S3Client, key: string, range?: ByteRange): Promise<Readable | undefined> {
  try {
    const response = await client.open(requestOf(key, range));
    const stream = Readable.from(contentOf(client, key, range, response), { objectMode: false });
    // A stream that is destroyed before it is read never starts the generator.
    stream.once('close', () => response.destroy());
    return stream;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

const requestOf = (key: string, range?: Partial<ByteRange>, headers: Record<string, string> = {}) => ({
  method: 'GET' as const,
  key,
  headers: { ...headers, ...(range && { range: `bytes=${range.start ?? 0}-${range.end ?? ''}` }) },
});

async function* contentOf(
  client: S3Client,
  key: string,
  range: ByteRange | undefined,
  first: IncomingMessage,
): AsyncGenerator<Buffer> {
  let response = first;
  let chunks = response[Symbol.asyncIterator]();
  let start = range?.start ?? 0;
  const etag = headerOf(response, 'etag');
  try {
    for (let resumes = 0; ; ) {
      let next: IteratorResult<Buffer>;
      try {
        next = await nextInTime(chunks, response);
      } catch (error) {
        if (resumes++ >= MAX_RESUMES || etag === undefined) throw error;
        response.destroy();
        // Not of another object under the same key.
        response = await client.open(requestOf(key, { ...range, start }, { 'if-match': etag }));
        chunks = response[Symbol.asyncIterator]();
        continue;
      }
      if (next.done) return;
      start += next.value.byteLength;
      yield next.value;
    }
  } finally {
    if (!response.readableEnded) response.destroy();
  }
}

async function nextInTime(chunks: AsyncIterator<Buffer>, response: IncomingMessage): Promise<IteratorResult<Buffer>> {
  const timer = setTimeout(() => response.destroy(new UpstreamError(timeoutMessage(STALL_MS))), STALL_MS);
  try {
    return await chunks.next();
  } finally {
    clearTimeout(timer);
  }
}
