/**
 * Decodes RGBN and RGB8 of Turbo Silver and Imagine (Impulse, "FORM RGBN and FORM RGB8", RKRM Devices): runs of true
 * colour.
 */
import type { Bitmap } from '../../bitmap.ts';
import { corruptImage } from '../../errors.ts';
import type { IffImage } from './chunks.ts';
import { NAME, readHeader } from './header.ts';

/**
 * Decodes the image. The bit between colour and count lets video show through on a genlock; paint programs ignore it,
 * and so does this reader. The caller has checked that width x height is small enough to allocate.
 */
export function decodeImpulse(image: IffImage): Bitmap {
  const { width, height } = readHeader(image);
  const body = image.chunks.get('BODY')?.data;
  if (!body || body.length === 0) throw corruptImage(NAME, 'no body');
  const wide = image.type === 'RGB8';
  const pixelBytes = wide ? 4 : 2;
  const countMask = wide ? 0x7f : 0x07;
  const data = new Uint8Array(width * height * 3);
  let write = 0;
  for (let read = 0; read + pixelBytes <= body.length && write < data.length; ) {
    const first = body[read]!;
    const second = body[read + 1]!;
    const red = wide ? first : (first >> 4) * 17;
    const green = wide ? second : (first & 0x0f) * 17;
    const blue = wide ? body[read + 2]! : (second >> 4) * 17;
    let count = body[read + pixelBytes - 1]! & countMask;
    read += pixelBytes;
    // A count of 0 is followed by a longer one in a byte; if that is 0 too, a word follows.
    if (count === 0) count = body[read++] ?? 0;
    if (count === 0) {
      count = ((body[read] ?? 0) << 8) | (body[read + 1] ?? 0);
      read += 2;
    }
    for (const end = Math.min(data.length, write + count * 3); write < end; write += 3) {
      data[write] = red;
      data[write + 1] = green;
      data[write + 2] = blue;
    }
  }
  return { data, width, height, channels: 3, truncated: write < data.length };
}
