/** JPEG lossless, process 14 with any predictor (ITU-T T.81, annex H). */
import { corruptImage } from '../errors.ts';
import { FORMATS } from '../formats/registry.ts';
import type { JpegFrame, JpegScan } from './headers.ts';
import type { BitReader, HuffmanTable } from './huffman.ts';
import { decodeScans, type JpegSamples } from './scans.ts';

const MAX_DIFFERENCE_BITS = 16;

/**
 * Decodes lossless JPEG.
 * @param frame from {@link readJpegFrame}, whose size has been checked
 * @throws Failure `corrupt_image`
 */
export function decodeLossless(bytes: Uint8Array, frame: JpegFrame): JpegSamples {
  const { width, height, components } = frame;
  if (components.some(({ horizontal, vertical }) => horizontal !== 1 || vertical !== 1)) {
    throw corruptImage(FORMATS.dicom.name, 'lossless JPEG with subsampled components');
  }
  const values = new Uint16Array(width * height * components.length);
  const truncated = decodeScans(bytes, frame, (reader, scan) => decodeScan(reader, frame, scan, values));
  return { values, truncated };
}

/** Returns whether the scan was complete. */
function decodeScan(reader: BitReader, frame: JpegFrame, scan: JpegScan, values: Uint16Array): boolean {
  const { width, height, components } = frame;
  const { start: predictor, low, restartInterval } = scan;
  if (predictor < 1 || predictor > 7) throw corruptImage(FORMATS.dicom.name, `predictor ${predictor}`);
  if (restartInterval % width !== 0) throw corruptImage(FORMATS.dicom.name, 'restarts within a line');
  const restartLines = restartInterval / width;
  const tables = scan.components.map(({ dc }) => {
    if (!dc) throw corruptImage(FORMATS.dicom.name, 'no Huffman table');
    return dc;
  });
  const offsets = scan.components.map(({ index }) => index);
  const row = { values, step: components.length, width, low, offsets, tables };
  const initial = 1 << Math.max(0, frame.precision - low - 1);

  for (let y = 0; y < height; y++) {
    const restarts = restartLines > 0 && y > 0 && y % restartLines === 0;
    if (restarts && !reader.restart()) return false;
    decodeRow(reader, row, y, y === 0 || restarts ? 0 : predictor, initial);
    if (reader.overrun) return false;
  }
  return true;
}

interface RowLayout {
  values: Uint16Array;
  /** Samples from one pixel to the next. */
  step: number;
  width: number;
  low: number;
  /** For each component of the scan: its offset in a pixel, and its table. */
  offsets: number[];
  tables: HuffmanTable[];
}

/** @param predictor 0 in the first line, which has none above: predicts the sample to the left, or `initial` */
function decodeRow(reader: BitReader, layout: RowLayout, y: number, predictor: number, initial: number): void {
  const { values, step, width, low, offsets, tables } = layout;
  const stride = width * step;
  for (let x = 0; x < width; x++) {
    for (let component = 0; component < offsets.length; component++) {
      const at = y * stride + x * step + offsets[component]!;
      let predicted: number;
      if (x === 0) {
        predicted = predictor === 0 ? initial : values[at - stride]! >> low;
      } else {
        const left = values[at - step]! >> low;
        if (predictor <= 1) {
          predicted = left;
        } else {
          const above = values[at - stride]! >> low;
          const corner = values[at - stride - step]! >> low;
          predicted = predict(predictor, left, above, corner);
        }
      }
      const size = reader.decode(tables[component]!);
      if (size > MAX_DIFFERENCE_BITS) throw corruptImage(FORMATS.dicom.name, `a difference of ${size} bits`);
      // The largest difference has only one value and no further bits (table H.2).
      const difference = size === MAX_DIFFERENCE_BITS ? 32_768 : reader.difference(size);
      values[at] = (predicted + difference) << low;
    }
  }
}

/** Predictors of table H.1 that use the line above. */
function predict(predictor: number, left: number, above: number, corner: number): number {
  switch (predictor) {
    case 2:
      return above;
    case 3:
      return corner;
    case 4:
      return left + above - corner;
    case 5:
      return left + ((above - corner) >> 1);
    case 6:
      return above + ((left - corner) >> 1);
    default:
      return (left + above) >> 1;
  }
}
