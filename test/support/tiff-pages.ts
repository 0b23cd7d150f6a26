/** Makes TIFF files that other encoders do not write: of several pages, and big-endian. */
import type { RawImage } from './test-images.ts';

/** Bytes of one value by type (TIFF 6.0, section 2). */
const TYPE_BYTES = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8];
const NEW_SUBFILE_TYPE = 254;
const BITS_PER_SAMPLE = 258;
const SHORT = 3;
const LONG = 4;
const STRIP_OFFSETS = 273;
const EXIF_IFD = 34665;

/** Joins the pages to one file. All must have the same byte order, and no tiles. */
export function joinTiffs(pages: readonly Uint8Array[]): Buffer {
  const littleEndian = pages[0]![0] === 0x49;
  const parts: Buffer[] = [];
  let base = 0;
  let link: { part: Buffer; at: number } | undefined;
  for (const file of pages) {
    const part = Buffer.alloc(file.length + (file.length % 2));
    part.set(file);
    const view = new DataView(part.buffer, part.byteOffset, part.length);
    const first = view.getUint32(4, littleEndian);
    if (link) linkTo(link, base + first, littleEndian);
    const next = moveDirectory(view, first, base, littleEndian);
    link = { part, at: next };
    parts.push(part);
    base += part.length;
  }
  return Buffer.concat(parts);
}

function linkTo({ part, at }: { part: Buffer; at: number }, offset: number, littleEndian: boolean): void {
  new DataView(part.buffer, part.byteOffset, part.length).setUint32(at, offset, littleEndian);
}

/** Adds `base` to every offset of a directory. Returns where its link to the next one is. */
function moveDirectory(view: DataView, at: number, base: number, littleEndian: boolean): number {
  const count = view.getUint16(at, littleEndian);
  const add = (position: number) =>
    view.setUint32(position, view.getUint32(position, littleEndian) + base, littleEndian);
  for (let entry = at + 2; entry < at + 2 + count * 12; entry += 12) {
    const tag = view.getUint16(entry, littleEndian);
    const type = view.getUint16(entry + 2, littleEndian);
    const values = view.getUint32(entry + 4, littleEndian);
    const isApart = values * TYPE_BYTES[type]! > 4;
    const valuesAt = isApart ? view.getUint32(entry + 8, littleEndian) : entry + 8;
    if (tag === EXIF_IFD) moveDirectory(view, view.getUint32(entry + 8, littleEndian), base, littleEndian);
    if (tag === STRIP_OFFSETS && type === LONG) {
      for (let value = 0; value < values; value += 1) add(valuesAt + value * 4);
    }
    if (isApart || tag === EXIF_IFD) add(entry + 8);
  }
  return at + 2 + count * 12;
}

/**
 * Writes RGB with 16-bit samples, made of 8-bit ones, big-endian and uncompressed.
 * @param subfileType 1 for a smaller copy of another page
 */
export function bigEndianTiff({ data, width, height, channels }: RawImage, subfileType = 0): Buffer {
  const samples = Buffer.alloc(data.length * 2);
  // Both bytes differ, so that a wrong order shows.
  for (const [at, sample] of data.entries()) samples.writeUInt16BE(sample * 256 + 7, at * 2);
  const tags = [
    [NEW_SUBFILE_TYPE, subfileType],
    [256, width],
    [257, height],
    [259, 1],
    [262, 2],
    [STRIP_OFFSETS, 8],
    [277, channels],
    [278, height],
    [279, samples.length],
  ] as const;
  const directoryAt = 8 + samples.length;
  const bitsAt = directoryAt + 2 + (tags.length + 1) * 12 + 4;
  const file = Buffer.alloc(bitsAt + channels * 2);
  file.write('MM');
  file.writeUInt16BE(42, 2);
  file.writeUInt32BE(directoryAt, 4);
  samples.copy(file, 8);
  file.writeUInt16BE(tags.length + 1, directoryAt);
  const entries = [...tags.map(([tag, value]) => [tag, LONG, 1, value]), [BITS_PER_SAMPLE, SHORT, channels, bitsAt]];
  for (const [index, [tag, type, count, value]] of entries.toSorted(([a], [b]) => a! - b!).entries()) {
    const at = directoryAt + 2 + index * 12;
    file.writeUInt16BE(tag!, at);
    file.writeUInt16BE(type!, at + 2);
    file.writeUInt32BE(count!, at + 4);
    file.writeUInt32BE(value!, at + 8);
  }
  for (let channel = 0; channel < channels; channel += 1) file.writeUInt16BE(16, bitsAt + channel * 2);
  return file;
}
