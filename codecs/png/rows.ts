/** The rows of a PNG as they are deflated (PNG, third edition, sections 7.2 and 8.2). */
import { corruptImage } from '../errors.ts';
import { Reader } from '../metadata/bytes.ts';
import { tryParse } from '../metadata/damage.ts';
import { chunksOf, SIGNATURE } from '../metadata/png-chunks.ts';

/** Samples per pixel, by colour type (PNG, third edition, section 11.2.1). */
const SAMPLES: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };

/** The passes of an interlaced image: the first column and row, and the steps between pixels (section 8.2). */
const ADAM7 = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const;

export interface Pass {
  /** The position of its first pixel, and the steps from one pixel to the next. */
  left: number;
  top: number;
  across: number;
  down: number;
  columns: number;
  rows: number;
  /** Bytes per row, including its filter type. */
  rowBytes: number;
}

export const bitsPerPixel = (colourType: number, depth: number): number => depth * (SAMPLES[colourType] ?? 4);

/** @param header the content of IHDR */
export const pixelBits = (header: Uint8Array): number => bitsPerPixel(header[9]!, header[8]!);

/** @param header the content of IHDR */
export function passesOf(header: Uint8Array): Pass[] {
  const reader = new Reader(header, 'png');
  const [width, height] = [reader.u32(0), reader.u32(4)];
  const bits = pixelBits(header);
  const passes = header[12] === 1 ? ADAM7 : ([[0, 0, 1, 1]] as const);
  return passes
    .map(([left, top, across, down]) => ({
      ...{ left, top, across, down },
      columns: Math.ceil((width - left) / across),
      rows: Math.ceil((height - top) / down),
    }))
    .filter(({ columns, rows }) => columns > 0 && rows > 0)
    .map((pass) => ({ ...pass, rowBytes: 1 + Math.ceil((pass.columns * bits) / 8) }));
}

/** Bytes of all filtered rows, which is the size of the inflated data. */
export const filteredBytes = (passes: readonly Pass[]): number =>
  passes.reduce((sum, { rows, rowBytes }) => sum + rows * rowBytes, 0);

/** Maximum number of chunks before the pixels that are read. */
const MAX_HEAD_CHUNKS = 10_000;

/** Whether the file contains any pixel data; false if it ends before the first data chunk. Main-thread safe. */
export function hasPngData(bytes: Uint8Array): boolean {
  const reader = new Reader(bytes, 'png');
  const found = tryParse(() => {
    let at = SIGNATURE.length;
    for (let chunk = 0; chunk < MAX_HEAD_CHUNKS && reader.text(at + 4, 4) !== 'IDAT'; chunk++)
      at += 12 + reader.u32(at);
    return true;
  });
  return found ?? false;
}

/** Deflated data may exceed the rows by this many bytes. It inflates to at most 1 GiB, in 0.8 s. */
const MAX_EXCESS_BYTES = 2 ** 20;

/**
 * Refuses a file whose data is far larger than its rows. No encoder makes such a file, but libpng inflates all of it to
 * the end: 4 MB of data after 64 x 64 pixels took 3 s.
 * @throws Failure `corrupt_image`
 */
export function checkPngData(bytes: Uint8Array): void {
  const header = tryParse(() => new Reader(bytes, 'png').slice(SIGNATURE.length + 8, 13));
  if (header === undefined) return;
  // Deflate never doubles its input.
  const limit = 2 * filteredBytes(passesOf(header)) + MAX_EXCESS_BYTES;
  if (bytes.length <= limit) return;
  let dataBytes = 0;
  tryParse(() => {
    for (const { name, data } of chunksOf(bytes)) if (name === 'IDAT') dataBytes += data.length;
  });
  if (dataBytes > limit) throw corruptImage('png', `${dataBytes} bytes of data for its rows`);
}
