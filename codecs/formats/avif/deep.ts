/** Samples of 10 and 12 bits, and the code points of PQ, HLG and wide gamuts. */
import type { CodePoints } from '../../code-points.ts';
import { isDeep } from '../../colour.ts';
import { integer, STORED_BITS_FIELD } from '../../image-header.ts';
import { metaOf } from '../../metadata/avif.ts';
import { Reader, viewOf } from '../../metadata/bytes.ts';
import { type Box, boxesOf, presentBoxes } from '../../metadata/isobmff.ts';
import type { Image } from '../../vips.ts';

export type AvifDepth = 8 | 10 | 12;

const WORD_BITS = 16;
const MAX_WORD = 65_535;

const maxOf = (depth: AvifDepth): number => 2 ** depth - 1;

/** libvips returns 10 and 12 bits in the upper bits of 16, so that white is less than 65,535. */
export function inFullRange(image: Image): Image {
  const depth = integer(image, STORED_BITS_FIELD);
  if (!isDeep(image) || (depth !== 10 && depth !== 12)) return image;
  const max = maxOf(depth) << (WORD_BITS - depth);
  return scaled(image, MAX_WORD / max);
}

/**
 * The bits per sample that an image gets: those of its source if AVIF has them. Of 16 bits a lossless file keeps 12, a
 * lossy one 10, which is more than lossy coding leaves.
 */
export function depthFor(image: Image, isLossless: boolean): AvifDepth {
  if (!isDeep(image)) return 8;
  const stored = integer(image, STORED_BITS_FIELD) ?? WORD_BITS;
  if (stored <= 10) return 10;
  return stored <= 12 || isLossless ? 12 : 10;
}

/** Rounds 16-bit samples to this depth. */
export const reduced = (image: Image, depth: AvifDepth): Image => scaled(image, maxOf(depth) / MAX_WORD);

/** Rounds, because casts truncate. */
const scaled = (image: Image, factor: number): Image =>
  image.linear([factor], [0.5]).cast('ushort').copy({ interpretation: image.interpretation });

/** Moves samples of this depth to the upper bits of 16, from where libvips takes them. */
export const inUpperBits = (image: Image, depth: AvifDepth): Image =>
  image
    .lshift([WORD_BITS - depth])
    .cast('ushort')
    .copy({ interpretation: image.interpretation });

/** Version and flags of a full box. */
const FULL_BOX = 4;
const NCLX = 'nclx';

/**
 * Writes the primaries and the transfer into the colour properties of a file of our own encoders, which record those of
 * sRGB, or none.
 */
export function withCodePoints(file: Uint8Array, { primaries, transfer }: CodePoints): Uint8Array {
  const reader = new Reader(file, 'avif');
  const inside = (type: string, boxes: readonly Box[], skipped = 0): Box[] =>
    boxes
      .filter((found) => found.type === type)
      .flatMap((found) => boxesOf(reader, found.contentStart + skipped, found.end));
  const meta = metaOf(reader, presentBoxes(reader));
  const properties = inside('ipco', inside('iprp', boxesOf(reader, meta.contentStart + FULL_BOX, meta.end)));
  const view = viewOf(file);
  for (const { type, contentStart } of properties) {
    if (type !== 'colr' || reader.text(contentStart, NCLX.length) !== NCLX) continue;
    view.setUint16(contentStart + NCLX.length, primaries);
    view.setUint16(contentStart + NCLX.length + 2, transfer);
  }
  return file;
}
