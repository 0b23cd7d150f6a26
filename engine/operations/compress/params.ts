/**
 * The parameters of `compress`: those of its steps, in the order in which they are done, between those of the encoding.
 * Main-thread safe.
 */
import { z } from 'zod';
import { described } from '../../../base/described.ts';
import { checkEncodingParams } from '../../steps/compress.ts';
import { checkCrop } from '../../steps/crop.ts';
import { STEP_PARAMS } from '../../steps/registry.ts';
import { checkResize } from '../../steps/resize.ts';

const { format, mode, quality, target_bytes, min_bytes, background, fingerprint, score } = STEP_PARAMS.compress.shape;
const { trim, crop, flip, rotate, resize, adjust, border, watermark, metadata } = STEP_PARAMS;

export const compressParams = z.strictObject({
  format,
  mode,
  quality,
  target_bytes,
  min_bytes,
  trim: described(z.boolean().default(false), 'Cut off a border of one colour, before everything else.', true),
  ...trim.shape,
  ...crop.shape,
  ...flip.shape,
  // New area gets the background of the encoding.
  ...rotate.omit({ background: true }).shape,
  ...resize.omit({ background: true }).shape,
  ...adjust.shape,
  ...border.shape,
  // The logo is drawn if it is sent.
  ...watermark.omit({ logo: true }).shape,
  ...metadata.shape,
  background,
  fingerprint,
  score,
});

export type CompressParams = z.output<typeof compressParams>;

/**
 * Checks rules that involve several parameters: those that exclude or need each other.
 * @throws Failure `conflicting_parameters` or `invalid_parameter`
 */
export function checkCompressParams(params: CompressParams): void {
  checkResize(params);
  checkEncodingParams(params);
  checkCrop(params);
}
