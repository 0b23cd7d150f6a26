/** Reads the body of a response into memory. */
import { pipeline, type Readable, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { UpstreamError } from '../../base/http-request.ts';
import { BodyCollector } from './body-collector.ts';
import { fileTooLarge } from './errors.ts';

const DECODERS: Readonly<Record<string, () => Transform & { readonly bytesWritten: number }>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/** A body. If it has a content coding, `bytesWritten` is the number of compressed bytes processed so far. */
export type Decoded = Readable & { readonly bytesWritten?: number };

/**
 * Removes the content coding of a body. Some storages send
 * compressed what was uploaded compressed, whatever was requested.
 */
export function decodeBody(body: Readable, coding = 'identity'): Decoded {
  const name = coding.trim().toLowerCase();
  if (name === 'identity' || name === '') return body;
  const decoder = Object.hasOwn(DECODERS, name) ? DECODERS[name]?.() : undefined;
  if (!decoder) throw new UpstreamError('a body with an unknown content coding');
  // Errors of both streams reach the reader of the decoder.
  return pipeline(body, decoder, () => {});
}

/**
 * Reads a stream into one buffer of its size.
 * @param expectedBytes size of the stream, if known: then nothing is copied
 * @param reserve called with the new size before a chunk is taken; reading ends if it throws
 * @throws Failure `file_too_large` as soon as more than `maxBytes` have been received
 */
export async function receive(
  body: AsyncIterable<Uint8Array>,
  maxBytes: number,
  expectedBytes?: number,
  reserve?: (bytes: number) => void,
): Promise<ArrayBuffer> {
  const collector = new BodyCollector(expectedBytes);
  for await (const chunk of body) {
    const bytes = collector.length + chunk.byteLength;
    if (bytes > maxBytes) throw fileTooLarge(maxBytes, 'url');
    reserve?.(bytes);
    collector.push(chunk);
  }
  return await collector.finish();
}

const PAGE_TYPES = /^(?:text\/html|application\/xhtml\+xml|application\/json)\b/i;

/** True for an error page or the like. The type alone is not enough: some servers call every file text/html. */
export function isLikelyPage(contentType: string | undefined, data: ArrayBuffer): boolean {
  if (!contentType || !PAGE_TYPES.test(contentType)) return false;
  const start = new TextDecoder('latin1').decode(data.slice(0, 256)).replace(/^\xef\xbb\xbf/, '');
  return /^\s*[<{[]/.test(start);
}
