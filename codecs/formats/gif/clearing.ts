/**
 * Makes the area under a disposed GIF image, and the area that a small image leaves uncovered, transparent, as all
 * browsers do. libvips paints the background colour there when the image has no transparent colour, and omits the alpha
 * channel when no image has one. Such images get an unused index as their transparent colour.
 */
import { concat, Reader } from '../../metadata/bytes.ts';
import { collectUntilDamage } from '../../metadata/damage.ts';
import { describingBlocks } from './metadata.ts';

const EXTENSION = 0x21;
const CONTROL = 0xf9;
const IMAGE = 0x2c;
const TO_BACKGROUND = 2;
/** Offsets in a control block: flags, and the transparent index. */
const FLAGS_AT = 3;
const INDEX_AT = 6;
const TRANSPARENT = 1;
/** The delay, in hundredths of a second, that libvips uses for an image without a control block. */
const DEFAULT_DELAY_CENTISECONDS = 10;

interface GifImage {
  start: number;
  /** Offset of its control block. */
  control: number | undefined;
  opaque: boolean;
  cleared: boolean;
}

/** Returns the file with transparent colours added for libvips, or the same bytes when nothing has to change. */
export function clearToTransparent(bytes: Uint8Array): Uint8Array {
  const images = imagesOf(bytes);
  const changed = images.filter(({ opaque, cleared }, place) => opaque && cleared && place < images.length - 1);
  const [first] = images;
  const uncovered = first && images.every(({ opaque }) => opaque) && !coversScreen(bytes, first);
  if (uncovered && !changed.includes(first)) changed.unshift(first);
  if (changed.length === 0) return bytes;

  const parts: Uint8Array[] = [];
  let done = 0;
  for (const image of changed) {
    const index = unusedIndex(bytes, image);
    // All 256 indices are used, so libvips paints the background colour.
    if (index === undefined) continue;
    const control = image.control ?? image.start;
    parts.push(bytes.subarray(done, control), controlBlock(bytes, image, index));
    done = image.start;
  }
  return concat([...parts, bytes.subarray(done)]);
}

function imagesOf(bytes: Uint8Array): GifImage[] {
  return collectUntilDamage<GifImage[]>([], (images) => {
    let control: number | undefined;
    for (const { start } of describingBlocks(bytes)) {
      if (start > 0 && bytes[start] === EXTENSION && bytes[start + 1] === CONTROL) control = start;
      if (start === 0 || bytes[start] !== IMAGE) continue;
      const flags = control === undefined ? 0 : (bytes[control + FLAGS_AT] ?? 0);
      images.push({
        start,
        control,
        opaque: (flags & TRANSPARENT) === 0,
        cleared: ((flags >> 2) & 7) === TO_BACKGROUND,
      });
      control = undefined;
    }
  });
}

function coversScreen(bytes: Uint8Array, { start }: GifImage): boolean {
  const reader = new Reader(bytes, 'gif', true);
  const [left, top, width, height] = [1, 3, 5, 7].map((at) => reader.u16(start + at)) as [
    number,
    number,
    number,
    number,
  ];
  return left === 0 && top === 0 && width >= reader.u16(6) && height >= reader.u16(8);
}

/** Returns the control block of an image with a transparent index, and everything between it and the image. */
function controlBlock(bytes: Uint8Array, { start, control }: GifImage, index: number): Uint8Array {
  if (control === undefined)
    return Uint8Array.of(EXTENSION, CONTROL, 4, TRANSPARENT, DEFAULT_DELAY_CENTISECONDS, 0, index, 0);
  const block = bytes.slice(control, start);
  block[FLAGS_AT] = (block[FLAGS_AT] ?? 0) | TRANSPARENT;
  block[INDEX_AT] = index;
  return block;
}

const HEADER_BYTES = 10;
const MAX_CODE_BITS = 12;

/**
 * Finds an index that no pixel has. Looking at the codes is enough: in LZW every index first appears as a code of its
 * own.
 */
function unusedIndex(bytes: Uint8Array, { start }: GifImage): number | undefined {
  const packed = bytes[start + 9] ?? 0;
  let at = start + HEADER_BYTES + (packed & 0x80 ? 3 << ((packed & 7) + 1) : 0);
  const bits = bytes[at] ?? 0;
  const clear = 1 << bits;
  // With fewer than 8 bits, no code can stand for the index `clear`.
  if (bits !== 8) return bits < 8 ? clear : undefined;
  const used = new Uint8Array(clear);
  let [size, next] = [bits + 1, clear + 1];
  let [buffer, filled] = [0, 0];
  for (at += 1; bytes[at]; ) {
    for (const end = at + 1 + (bytes[at] as number); ++at < end; ) {
      buffer |= (bytes[at] ?? 0) << filled;
      filled += 8;
      if (filled < size) continue;
      const code = buffer & ((1 << size) - 1);
      buffer >>>= size;
      filled -= size;
      if (code === clear) [size, next] = [bits + 1, clear + 1];
      else {
        if (code < clear) used[code] = 1;
        next += 1;
        if (next === 1 << size && size < MAX_CODE_BITS) size += 1;
      }
    }
  }
  const index = used.indexOf(0);
  return index === -1 ? undefined : index;
}
