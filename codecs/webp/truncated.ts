/** Reads WebP files that end early. libwebp decodes nothing of a file that is shorter than its header says. */
import { imageInMemory } from '../decoded-image.ts';
import { concat, Reader } from '../metadata/bytes.ts';
import { collectUntilDamage } from '../metadata/damage.ts';
import { type Chunk, chunk, chunksOf, codedCanvas, riff } from '../metadata/webp.ts';
import { isDecodeError, Truncated } from '../source.ts';
import { type Image, trackHandles, type VipsApi } from '../vips.ts';

/** Offset of the size in the RIFF header, and offset from which it counts. */
const SIZE_AT = 4;
const SIZED_FROM = 8;

const RIFF_HEADER_BYTES = 12;
const CHUNK_HEADER_BYTES = 8;

/**
 * What missing bytes are replaced by, one value after the other until three of them decode. Which do depends on the codes
 * of the file: codes of a lossless image may refer to pixels before the first.
 */
const FILLS = [0x00, 0xaa, 0x55, 0xff, 0x33, 0xcc] as const;
const MAX_DECODED_FILLS = 3;

/** Enough for the codes that the fills mean; a file whose codes are longer is shown with the fills that decode. */
const FILL_BYTES_PER_PIXEL = 4;
const MAX_FILL_BYTES = 32 * 2 ** 20;

/** Colour of the rows that are missing, as of a truncated JPEG. */
const GREY = 128;

/**
 * Completes a file that ends early: an animation keeps its complete frames; the coded data of a still image go on with
 * one value, so that the rows after them are invented.
 * @returns undefined for any other file, and if nothing of it can be read
 */
export function completeWebp(bytes: Uint8Array, fill: number = FILLS[0]): Uint8Array | undefined {
  if (bytes.length < SIZED_FROM || SIZED_FROM + new Reader(bytes, 'webp', true).u32(SIZE_AT) <= bytes.length)
    return undefined;
  const whole = collectUntilDamage<Chunk[]>([], (found) => {
    for (const complete of chunksOf(bytes)) found.push(complete);
  });
  const chunks = whole.map(({ name, data }) => chunk(name, data));
  if (whole.some(({ name }) => name === 'ANMF' || isCoded(name))) return riff(chunks);
  const start = chunks.reduce((sum, { length }) => sum + length, RIFF_HEADER_BYTES);
  const cut = continued(bytes.subarray(start), fill);
  return cut && riff([...chunks, cut]);
}

const isCoded = (name: string): boolean => name === 'VP8 ' || name === 'VP8L';

/** Returns a chunk of coded pixels with a fill in place of what is missing; undefined for any other chunk. */
function continued(start: Uint8Array, fill: number): Uint8Array | undefined {
  if (start.length < CHUNK_HEADER_BYTES) return undefined;
  const reader = new Reader(start, 'webp', true);
  const name = reader.text(0, 4);
  const data = start.subarray(CHUNK_HEADER_BYTES);
  const [canvas] = collectUntilDamage<ReturnType<typeof codedCanvas>[]>([], (found) =>
    found.push(codedCanvas({ name, data })),
  );
  if (!canvas) return undefined;
  const missing = Math.min(canvas.width * canvas.height * FILL_BYTES_PER_PIXEL, MAX_FILL_BYTES);
  return chunk(name, concat([data, new Uint8Array(missing).fill(fill)]));
}

/**
 * Loads a still image that ends early. Its rows are those of the file as far as decoding gives the same samples whatever
 * the missing bytes are; a row or two after them, which smoothing mixes with missing ones, may be shown too. The others
 * are transparent, or grey in an image without transparency.
 * @param load loads a complete file
 * @returns undefined for an animation, and for a file that lacks none of its pixels
 * @throws a libvips error if no fill decodes, and {@link Truncated} if the file holds no row
 */
export function loadTruncatedWebp(
  vips: VipsApi,
  bytes: Uint8Array,
  load: (complete: Uint8Array) => Image,
): Image | undefined {
  let image: Image | undefined;
  let missingFrom = Number.POSITIVE_INFINITY;
  let decodings = 0;
  let failure: unknown;
  for (const fill of FILLS) {
    const completed = completeWebp(bytes, fill);
    // With a fill it is longer.
    if (!completed || completed.length <= bytes.length) return undefined;
    const handles = trackHandles(vips);
    try {
      const decoded = imageInMemory(load(completed));
      if (image) missingFrom = Math.min(missingFrom, firstDifferentRow(image, decoded));
      image ??= decoded;
      decodings += 1;
    } catch (error) {
      if (!isDecodeError(error)) throw error;
      failure = error;
    }
    handles.free(image ? [image] : []);
    if (decodings === MAX_DECODED_FILLS) break;
  }
  if (!image) throw failure;
  // One decoding alone does not tell which rows it has invented.
  if (decodings === 1 || missingFrom === 0) throw new Truncated('webp');
  return missingFrom < image.height ? withoutRowsFrom(image, missingFrom) : image;
}

/** The height of the image if the two are the same. */
function firstDifferentRow(image: Image, other: Image): number {
  const different = image.notEq(other).bandor();
  // For each column the first row that is not zero; the height if there is none.
  return different.profile().columns.min();
}

function withoutRowsFrom(image: Image, row: number): Image {
  const { width, height } = image;
  const background = image.hasAlpha() ? [0, 0, 0, 0] : [GREY, GREY, GREY];
  return image.crop(0, 0, width, row).embed(0, 0, width, height, { extend: 'background', background });
}
