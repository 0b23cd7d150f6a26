/** Sequential DCT with Huffman coding and samples of up to 12 bits: JPEG process 4 (ITU-T T.81, annex F). */
import { corruptImage } from '../errors.ts';
import { FORMATS } from '../formats/registry.ts';
import type { JpegFrame, JpegScan } from './headers.ts';
import type { BitReader, HuffmanTable } from './huffman.ts';
import { decodeScans, type JpegSamples } from './scans.ts';

const BLOCK = 8;
const BLOCK_SAMPLES = 64;
const LAST_COEFFICIENT = 63;
/** A run of sixteen zeros. */
const ZERO_RUN = 0xf0;

/** Positions of a block's coefficients in file order, along the diagonals (figure A.6). */
const ZIGZAG = Uint8Array.of(
  ...[0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 32, 25, 18, 11, 4, 5, 12, 19, 26, 33, 40, 48],
  ...[41, 34, 27, 20, 13, 6, 7, 14, 21, 28, 35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23],
  ...[30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63],
);

/** C(u) / 2 * cos((2x + 1) u pi / 16), by x and u: one direction of the inverse transform of A.3.3. */
const BASIS = Float64Array.from({ length: BLOCK_SAMPLES }, (_, index) => {
  const x = index >> 3;
  const u = index & 7;
  return ((u === 0 ? Math.SQRT1_2 : 1) / 2) * Math.cos(((2 * x + 1) * u * Math.PI) / 16);
});

/** One component during decoding: whole blocks, which may extend beyond the image. */
interface Plane {
  samples: Uint16Array;
  stride: number;
  /** Number of blocks in each direction that the image needs; a scan of this component alone contains just these. */
  blocksAcross: number;
  blocksDown: number;
  horizontal: number;
  vertical: number;
}

/**
 * Decodes sequential JPEG.
 * @param frame from {@link readJpegFrame}, whose size has been checked
 * @throws Failure `corrupt_image`
 */
export function decodeSequential(bytes: Uint8Array, frame: JpegFrame): JpegSamples {
  const planes = layOut(frame);
  const truncated = decodeScans(bytes, frame, (reader, scan) => decodeScan(reader, frame, scan, planes));
  return { values: interleave(frame, planes), truncated };
}

/** Counts the units of an interleaved scan, which are several blocks wide and high. */
function countUnits({ width, height, components }: JpegFrame) {
  const horizontal = Math.max(...components.map((component) => component.horizontal));
  const vertical = Math.max(...components.map((component) => component.vertical));
  return {
    horizontal,
    vertical,
    across: Math.ceil(width / (BLOCK * horizontal)),
    down: Math.ceil(height / (BLOCK * vertical)),
  };
}

function layOut(frame: JpegFrame): Plane[] {
  const units = countUnits(frame);
  return frame.components.map(({ horizontal, vertical }) => ({
    samples: new Uint16Array(units.across * horizontal * units.down * vertical * BLOCK_SAMPLES),
    stride: units.across * horizontal * BLOCK,
    blocksAcross: Math.ceil((frame.width * horizontal) / (units.horizontal * BLOCK)),
    blocksDown: Math.ceil((frame.height * vertical) / (units.vertical * BLOCK)),
    horizontal,
    vertical,
  }));
}

interface ScanComponent {
  plane: Plane;
  dc: HuffmanTable;
  ac: HuffmanTable;
  quantization: Uint16Array;
  /** The DC coefficient of the previous block. */
  last: number;
}

/** Returns whether the scan was complete. */
function decodeScan(reader: BitReader, frame: JpegFrame, scan: JpegScan, planes: Plane[]): boolean {
  // The first and last coefficient are ignored: some writers leave them 0, and here they can only be 0 and 63.
  const components = scan.components.map(({ index, dc, ac }): ScanComponent => {
    const quantization = scan.quantization[frame.components[index]!.quantization];
    if (!dc || !ac || !quantization) throw corruptImage(FORMATS.dicom.name, 'a missing table');
    return { plane: planes[index]!, dc, ac, quantization, last: 0 };
  });
  const alone = components.length === 1 ? components[0] : undefined;
  const units = alone ? { across: alone.plane.blocksAcross, down: alone.plane.blocksDown } : countUnits(frame);
  const block = new Float64Array(BLOCK_SAMPLES);

  for (let unit = 0; unit < units.across * units.down; unit++) {
    if (scan.restartInterval > 0 && unit > 0 && unit % scan.restartInterval === 0) {
      if (!reader.restart()) return false;
      for (const component of components) component.last = 0;
    }
    const column = unit % units.across;
    const row = Math.floor(unit / units.across);
    for (const component of components) {
      const { horizontal, vertical } = alone ? { horizontal: 1, vertical: 1 } : component.plane;
      for (let y = 0; y < vertical; y++) {
        for (let x = 0; x < horizontal; x++) {
          readBlock(reader, component, block);
          putBlock(block, component.plane, column * horizontal + x, row * vertical + y, frame.precision);
        }
      }
    }
    if (reader.overrun) return false;
  }
  return true;
}

function readBlock(reader: BitReader, component: ScanComponent, block: Float64Array): void {
  const { dc, ac, quantization } = component;
  block.fill(0);
  component.last += reader.difference(reader.decode(dc) & 15);
  block[0] = component.last * quantization[0]!;
  for (let coefficient = 1; coefficient <= LAST_COEFFICIENT; coefficient++) {
    const code = reader.decode(ac);
    const size = code & 15;
    if (size === 0) {
      if (code !== ZERO_RUN) break;
      coefficient += 15;
      continue;
    }
    coefficient += code >> 4;
    const value = reader.difference(size);
    if (coefficient <= LAST_COEFFICIENT) block[ZIGZAG[coefficient]!] = value * quantization[coefficient]!;
  }
}

const rows = new Float64Array(BLOCK_SAMPLES);

/** Applies the inverse transform, first along the lines and then down the columns, and the level shift of A.3.1. */
function putBlock(block: Float64Array, plane: Plane, column: number, row: number, precision: number): void {
  const middle = 1 << (precision - 1);
  const most = (1 << precision) - 1;
  for (let v = 0; v < BLOCK; v++) {
    for (let x = 0; x < BLOCK; x++) {
      let sum = 0;
      for (let u = 0; u < BLOCK; u++) sum += BASIS[x * BLOCK + u]! * block[v * BLOCK + u]!;
      rows[v * BLOCK + x] = sum;
    }
  }
  for (let y = 0; y < BLOCK; y++) {
    const write = (row * BLOCK + y) * plane.stride + column * BLOCK;
    for (let x = 0; x < BLOCK; x++) {
      let sum = 0;
      for (let v = 0; v < BLOCK; v++) sum += BASIS[y * BLOCK + v]! * rows[v * BLOCK + x]!;
      const value = Math.round(sum) + middle;
      plane.samples[write + x] = Math.max(0, Math.min(value, most));
    }
  }
}

/** Interleaves the components. Samples of subsampled components are repeated. */
function interleave(frame: JpegFrame, planes: Plane[]): Uint16Array {
  const { width, height } = frame;
  const { horizontal, vertical } = countUnits(frame);
  const values = new Uint16Array(width * height * planes.length);
  for (const [index, plane] of planes.entries()) {
    for (let y = 0, write = index; y < height; y++) {
      const read = Math.floor((y * plane.vertical) / vertical) * plane.stride;
      for (let x = 0; x < width; x++, write += planes.length) {
        values[write] = plane.samples[read + Math.floor((x * plane.horizontal) / horizontal)]!;
      }
    }
  }
  return values;
}
