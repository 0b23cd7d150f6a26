/** The coefficients of JPEG files. */
import { coefficientBytes, DEFAULT_MAX_JPEG_SCANS } from '../jpeg-scans.ts';
import { type JpegCodec, OK } from './codec.ts';

/** Above it a file is not read: what the codec holds of it comes on top of the decoded picture. In bytes. */
const MAX_COEFFICIENT_BYTES = 128 * 2 ** 20;

/** @returns whether the codec holds all coefficients of the file: not of another coding, or of one that is damaged or very large */
export function readCoefficients(codec: JpegCodec, file: Uint8Array): boolean {
  const { run } = codec;
  if (!codec.open(file)) return false;
  const pixels = run.imageWidth() * run.imageHeight();
  if (coefficientBytes(pixels, run.countOfComponents()) > MAX_COEFFICIENT_BYTES) return false;
  return run.readCoefficients(DEFAULT_MAX_JPEG_SCANS) === OK && run.statusOfScans() === OK && run.isTruncated() === 0;
}
