/** The body of an answer, on its way into memory. */
import { pipeline, type Readable, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { BodyCollector } from './body-collector.ts';
import { fileTooLarge } from './errors.ts';
import { AnswerFault } from './exchange.ts';

const DECODERS: Readonly<Record<string, () => Transform & { readonly bytesWritten: number }>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/** A body; `bytesWritten` are the bytes of one with a content coding that have been unpacked so far. */
export type Decoded = Readable & { readonly bytesWritten?: number };

/** The body without its content coding: some storages send packed what was uploaded packed, asked or not. */
export function decoded(body: Readable, coding = 'identity'): Decoded {
  const name = coding.trim().toLowerCase();
  if (name === 'identity' || name === '') return body;
  const decoder = Object.hasOwn(DECODERS, name) ? DECODERS[name]?.() : undefined;
  if (!decoder) throw new AnswerFault('a body with an unknown content coding');
  // The errors of both reach whoever reads the decoder.
  return pipeline(body, decoder, () => {});
}

/**
 * Reads a stream into one buffer of its size.
 * @param expectedBytes its size, where it is known: then nothing is copied
 * @param reserve called with the size so far before it is taken; what it throws ends the reading
 * @throws Failure `file_too_large` as soon as more than `maxBytes` have come
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

/** True for an error page or the like. The type alone would not do: some servers call every file text/html. */
export function looksLikePage(contentType: string | undefined, data: ArrayBuffer): boolean {
  if (!contentType || !PAGE_TYPES.test(contentType)) return false;
  const start = new TextDecoder('latin1').decode(data.slice(0, 256)).replace(/^\xef\xbb\xbf/, '');
  return /^\s*[<{[]/.test(start);
}
