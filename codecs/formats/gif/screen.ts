/**
 * Makes libvips show the whole screen of a GIF file. The screen has the size in the header, and extends as far as the
 * first image reaches beyond it; all browsers do this. libvips takes some sizes for mistakes and cuts off everything
 * beyond the first image. Such files get a new first image that covers the screen and is transparent.
 */
import { codesSize, pack } from '../../gif/lzw.ts';
import { isSuspectScreenSize } from '../../gif/screen.ts';
import { concat, Reader, uint16 } from '../../metadata/bytes.ts';
import { collectUntilDamage, tryParse } from '../../metadata/damage.ts';
import { describingBlocks } from './metadata.ts';

const IMAGE = 0x2c;
/** Shown for no time and left in place; its index 0 is transparent. */
const CONTROL_BLOCK = Uint8Array.of(0x21, 0xf9, 4, (1 << 2) | 1, 0, 0, 0, 0);
/** A table of two colours, both black; none of them is visible. */
const LOCAL_TABLE = 0x80;
const TABLE_BYTES = 6;

/**
 * Returns the file with a transparent image in front that covers the screen, or undefined when libvips shows the whole
 * screen anyway.
 */
export function coverScreen(bytes: Uint8Array): Uint8Array | undefined {
  return tryParse(() => {
    const reader = new Reader(bytes, 'gif', true);
    const [width, height] = [reader.u16(6), reader.u16(8)];
    if (!isSuspectScreenSize(width, height)) return undefined;
    const { headerEnd, image } = findImage(bytes);
    if (bytes[image] !== IMAGE) return undefined;
    const right = reader.u16(image + 1) + reader.u16(image + 5);
    const bottom = reader.u16(image + 3) + reader.u16(image + 7);
    if (right >= width && bottom >= height) return undefined;
    const cover = clearImage(Math.max(width, right), Math.max(height, bottom));
    return concat([bytes.subarray(0, headerEnd), cover, bytes.subarray(headerEnd)]);
  });
}

/**
 * Finds the end of the header with its colour table, and the start of the first image. The rest of that image may be
 * missing.
 */
function findImage(bytes: Uint8Array): { headerEnd: number; image: number } {
  return collectUntilDamage({ headerEnd: 0, image: 0 }, (found) => {
    for (const { start, end } of describingBlocks(bytes)) {
      if (start === 0) found.headerEnd = end;
      else if (bytes[start] === IMAGE) return;
      found.image = end;
    }
  });
}

function clearImage(width: number, height: number): Uint8Array {
  const descriptor = concat([
    Uint8Array.of(IMAGE, 0, 0, 0, 0),
    uint16(width, true),
    uint16(height, true),
    Uint8Array.of(LOCAL_TABLE),
  ]);
  return concat([CONTROL_BLOCK, descriptor, new Uint8Array(TABLE_BYTES), runOfZeros(width * height)]);
}

/** The smallest code size of GIF. */
const BITS = 2;
const CLEAR = 1 << BITS;
const MAX_CODE = 4095;

/**
 * Returns the image data of `pixels` pixels of index 0. Each code stands for one pixel more than the one before, up to
 * the last code.
 */
function runOfZeros(pixels: number): Uint8Array {
  const longest = MAX_CODE - CLEAR;
  const codes: number[] = [];
  const put = (length: number) => codes.push(length === 1 ? 0 : length + CLEAR);
  let left = pixels;
  for (let length = 1; left >= length; length = Math.min(length + 1, longest)) {
    put(length);
    left -= length;
  }
  if (left > 0) put(left);
  const all = Uint16Array.from([CLEAR, ...codes, CLEAR + 1]);
  return pack({ codes: all, count: all.length, size: codesSize(all.length, BITS), bits: BITS });
}
