/** POST /api/v1/upscale: doubles width and height with a super-resolution network. */
import { upscaleParams } from '../../engine/operations/upscale/params.ts';
import { ONE_AI_REQUEST } from '../account/credits.ts';
import { type ImageOperation, imageOperation } from './operation.ts';

export const upscaleOperation: ImageOperation<'upscale', typeof upscaleParams> = {
  task: 'upscale',
  path: '/api/v1/upscale',
  summary: 'Double width and height with a super-resolution model',
  description:
    'Transparency is enlarged too; SVG and PDF are drawn twice as large instead. The upload may have as many pixels as the plan allows (`upscale_pixels`). The result is in sRGB with 8 bits per sample and carries no metadata but the resolution of the upload, so that its print is twice as large. JPEG, WebP and AVIF are written at quality 92, PNG and TIFF without loss.',
  params: upscaleParams,
  errors: ['model_unavailable', 'scope_required'],
  lane: 'interactive',
  cost: ONE_AI_REQUEST,
  toInput: (image, params, _companions, { upscale_pixels }) => ({ image, params, maxPixels: upscale_pixels }),
};

export const upscale = imageOperation(upscaleOperation);
