/** Locates each frame in the pixel data: stored one after the other, or in fragments (DICOM PS3.5, annex A.4). */
import type { Reader } from '../../metadata/bytes.ts';
import type { DataSet } from './elements.ts';
import type { DicomImage } from './image.ts';
import { MAX_RLE_SEGMENTS, RLE_HEADER_BYTES } from './rle.ts';
import { ITEM, TAG } from './tags.ts';

const ITEM_HEADER_BYTES = 8;
/** The markers SOI (FFD8) and SOC (FF4F) as read from encapsulated data sets, which are little-endian. */
const SOI_SWAPPED = 0xd8ff;
const SOC_SWAPPED = 0x4fff;

/** The bytes of one frame. */
export interface FrameBytes {
  bytes: Uint8Array;
  /** Native only: offset of the frame in the first 16-bit word, counted from its lowest bit. */
  bit: number;
  /** The file ends before the frame does. */
  truncated: boolean;
}

export interface FrameIndex {
  /** Number of frames that are present, at least in part. */
  count: number;
  /** @param frame from 0, below `count` */
  read(frame: number): FrameBytes;
}

/** @returns undefined when the first frame is missing */
export const indexFrames = (dataSet: DataSet, image: DicomImage): FrameIndex | undefined =>
  image.pixels.undefinedLength ? indexFragments(dataSet, image) : indexNative(dataSet, image);

/** Returns the bits of one frame in native pixel data. In YBR 4:2:2 a pair of pixels shares its chroma. */
export function frameBits({ width, height, samples, bitsAllocated, model }: DicomImage): number {
  const samplesPerPixel = model === 'ybr422' || model === 'ybrPartial422' ? 2 : samples;
  return width * height * samplesPerPixel * bitsAllocated;
}

function indexNative({ reader }: DataSet, image: DicomImage): FrameIndex | undefined {
  const { at, end } = image.pixels;
  const bits = frameBits(image);
  const count = Math.min(image.frames, Math.ceil(((end - at) * 8) / bits));
  if (count === 0) return undefined;
  return {
    count,
    read(frame) {
      const start = frame * bits;
      // Whole words, whose bytes may have to be swapped.
      const from = at + Math.floor(start / 16) * 2;
      const to = at + Math.ceil((start + bits) / 16) * 2;
      const bytes = reader.bytes.subarray(from, Math.min(end, to));
      return { bytes, bit: start % 16, truncated: at + (start + bits) / 8 > end };
    },
  };
}

/** Iterates over the fragments without keeping them, because there may be millions. */
class Fragments {
  readonly #reader: Reader;
  readonly #end: number;
  /** The item header and the bytes of the current fragment. */
  header: number;
  at = 0;
  end = 0;
  /** The file ends before the fragment does. */
  cut = false;
  #next: number;

  constructor(reader: Reader, start: number, end: number) {
    this.#reader = reader;
    this.#end = end;
    this.header = start;
    this.#next = start;
  }

  /** Moves to the next fragment that has bytes. */
  next(): boolean {
    for (let at = this.#next; at + ITEM_HEADER_BYTES <= this.#end; at = this.#next) {
      if (this.#reader.u16(at) * 0x10000 + this.#reader.u16(at + 2) !== ITEM) return false;
      this.header = at;
      this.at = at + ITEM_HEADER_BYTES;
      this.#next = this.at + this.#reader.u32(at + 4);
      this.end = Math.min(this.#next, this.#end);
      this.cut = this.#next > this.#end;
      if (this.end > this.at) return true;
    }
    return false;
  }

  /** Whether the current fragment begins like a JPEG or JPEG-LS file, a JPEG 2000 codestream or an RLE frame. */
  startsImage(): boolean {
    if (this.end - this.at < 8) return false;
    const start = this.#reader.u16(this.at);
    if (start === SOI_SWAPPED || start === SOC_SWAPPED) return this.#reader.u8(this.at + 2) === 0xff;
    return this.#reader.u32(this.at) <= MAX_RLE_SEGMENTS && this.#reader.u32(this.at + 4) === RLE_HEADER_BYTES;
  }
}

function indexFragments(dataSet: DataSet, image: DicomImage): FrameIndex | undefined {
  const { reader } = dataSet;
  const { at, end } = image.pixels;
  if (at + ITEM_HEADER_BYTES > end) return undefined;
  // The first item is the basic offset table, which may be empty.
  const basicTableEnd = at + ITEM_HEADER_BYTES + reader.u32(at + 4);
  const first = Math.min(basicTableEnd, end);
  const table = offsetTable(dataSet, { at: at + ITEM_HEADER_BYTES, end: first }, image.frames);

  let fragments = 0;
  let images = 0;
  let listed = 0;
  for (const fragment = new Fragments(reader, first, end); fragment.next(); fragments++) {
    if (fragment.startsImage()) images++;
    if (table && listed < image.frames && fragment.header - first === table(listed)) listed++;
  }
  if (fragments === 0) return undefined;

  /** @param startsFrame whether the current fragment is the first of its frame */
  const index = (count: number, startsFrame: (fragment: Fragments, frame: number) => boolean): FrameIndex => ({
    count,
    read(frame) {
      // Two passes over the fragments, because a list of millions would cost more than their bytes.
      const visit = (take: (fragment: Fragments) => void) => {
        let current = -1;
        for (const fragment = new Fragments(reader, first, end); fragment.next(); ) {
          if (startsFrame(fragment, current + 1)) current++;
          if (current > frame) break;
          if (current === frame) take(fragment);
        }
      };
      let length = 0;
      let last: Uint8Array = new Uint8Array();
      let truncated = false;
      visit((fragment) => {
        last = reader.bytes.subarray(fragment.at, fragment.end);
        length += last.length;
        truncated = fragment.cut;
      });
      if (length === last.length) return { bytes: last, bit: 0, truncated };
      const bytes = new Uint8Array(length);
      let write = 0;
      visit((fragment) => {
        bytes.set(reader.bytes.subarray(fragment.at, fragment.end), write);
        write += fragment.end - fragment.at;
      });
      return { bytes, bit: 0, truncated };
    },
  });

  // A table that does not point at fragments is wrong, unless the file was cut in front of them.
  if (table && listed > 0 && (listed === image.frames || first + table(listed) >= end)) {
    return index(listed, (fragment, next) => next < listed && fragment.header - first === table(next));
  }
  // Without a table, each fragment is a frame. If there are more fragments than frames, a frame starts at each fragment
  // that looks like the start of an image.
  if (image.frames === 1) return index(1, (_, next) => next === 0);
  if (fragments <= image.frames || images === 0) return index(Math.min(fragments, image.frames), () => true);
  return index(Math.min(images, image.frames), (fragment, next) => next === 0 || fragment.startsImage());
}

/**
 * Returns the start of each frame from the extended or the basic offset table, counted from the item after the basic
 * one.
 */
function offsetTable(dataSet: DataSet, basic: { at: number; end: number }, frames: number) {
  const { reader } = dataSet;
  const extended = dataSet.get(TAG.extendedOffsets);
  if (extended && extended.end - extended.at >= frames * 8)
    return (frame: number) => reader.u64(extended.at + frame * 8);
  if (basic.end - basic.at >= frames * 4) return (frame: number) => reader.u32(basic.at + frame * 4);
  return undefined;
}
