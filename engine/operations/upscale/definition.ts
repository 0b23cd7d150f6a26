import type { ImageResult } from '../../result.ts';
import type { OperationDefinition, OperationInput } from '../definition.ts';
import { UPSCALE_FORMATS, type UpscaleParams, upscaleParams } from './params.ts';

export interface UpscaleInput extends OperationInput<UpscaleParams> {
  /** Maximum pixels of the source. */
  maxPixels: number;
}

export const upscale: OperationDefinition<'upscale', typeof upscaleParams, UpscaleInput, ImageResult> = {
  name: 'upscale',
  title: 'Upscale',
  hint: 'Twice the width and height, with detail that a model adds.',
  summary: 'Double width and height with a super-resolution model',
  description:
    'Transparency is enlarged too; SVG and PDF are drawn twice as large instead. The upload may have as many pixels as the plan allows (`upscale_pixels`). The result is in sRGB, with 16 bits per sample as PNG or TIFF if the upload has more than 8, and carries no metadata but the resolution of the upload, so that its print is twice as large. JPEG, WebP and AVIF are written at quality 92, PNG and TIFF without loss.',
  params: upscaleParams,
  groups: [{ title: 'Settings', isOpen: true, parameters: ['scale', 'format'] }],
  output: { kind: 'image', formats: UPSCALE_FORMATS, defaultFormat: 'auto' },
  errors: ['model_unavailable'],
  meter: 'ai',
  model: 'upscale',
  estimate: { baseMs: 500, megapixelMs: 12_000 },
  toInput: (image, params, _images, { upscale_pixels: maxPixels }) => ({ image, params, maxPixels }),
  commandExamples: ['small.jpg -o large.jpg'],
};
