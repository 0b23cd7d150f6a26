/** PNG as a list of chunks (PNG, third edition, section 5). */
import { crc32 } from 'node:zlib';
import { corruptImage } from '../errors.ts';
import { bytesOf, concat, latin1, Reader, uint32 } from './bytes.ts';

export const SIGNATURE = '\x89PNG\r\n\x1a\n';

export interface Chunk {
  name: string;
  /** From the length field to the end of the checksum. */
  start: number;
  end: number;
  data: Uint8Array;
}

/** Yields the chunks up to and including IEND. Does not check checksums. @throws Failure `corrupt_image` */
export function* chunksOf(bytes: Uint8Array): Generator<Chunk> {
  const reader = new Reader(bytes, 'png');
  if (reader.text(0, SIGNATURE.length) !== SIGNATURE) throw corruptImage('png', 'no signature');
  for (let start = SIGNATURE.length; ; ) {
    const length = reader.u32(start);
    const name = latin1(reader.slice(start + 4, 4));
    const data = reader.slice(start + 8, length);
    const end = start + 12 + length;
    reader.slice(start, end - start);
    yield { name, start, end, data };
    if (name === 'IEND') return;
    start = end;
  }
}

/** A chunk needs only twelve bytes. Real files split their pixels into far fewer chunks. */
const MAX_CHUNKS = 250_000;

/** Yields the chunks up to the limit for metadata. @throws Failure `corrupt_image` where the file is cut or damaged */
export function* describingChunks(bytes: Uint8Array): Generator<Chunk> {
  let left = MAX_CHUNKS;
  for (const found of chunksOf(bytes)) {
    if (left === 0) return;
    left -= 1;
    yield found;
  }
}

export function chunk(name: string, data: Uint8Array): Uint8Array {
  const body = concat([bytesOf(name), data]);
  return concat([uint32(data.length), body, uint32(crc32(body))]);
}
