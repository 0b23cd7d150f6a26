/** Reads the coefficients of JPEG files. */
import { coefficientBytes, DEFAULT_MAX_JPEG_SCANS } from '../jpeg-scans.ts';
import { type JpegCodec, type JpegFunctions, OK } from './codec.ts';

/** Above this a file is not read, because the coefficients take memory in addition to the decoded image. In bytes. */
const MAX_COEFFICIENT_BYTES = 128 * 2 ** 20;

/**
 * Reads the coefficients of the open file.
 * @returns whether the codec has all of them: false for a file that is damaged, very large, or lacks a component
 */
export function readCoefficients({ run }: JpegCodec): boolean {
  const pixels = run.imageWidth() * run.imageHeight();
  if (coefficientBytes(pixels, run.countOfComponents()) > MAX_COEFFICIENT_BYTES) return false;
  const isRead =
    run.readCoefficients(DEFAULT_MAX_JPEG_SCANS) === OK && run.statusOfScans() === OK && run.isTruncated() === 0;
  return isRead && hasTables(run);
}

/** Whether there was a scan of each component so far. It sets the quantization table. */
export const hasTables = (run: JpegFunctions): boolean =>
  Array.from({ length: run.countOfComponents() }, (_, index) => run.quantizationOf(index)).every(Boolean);
