import { checkCompressParams, compressParams } from '../../engine/operations/compress/params.ts';
import { ONE_REQUEST } from '../account/credits.ts';
import { type ImageOperation, imageOperation } from './operation.ts';

export const compressOperation: ImageOperation<'compress', typeof compressParams> = {
  task: 'compress',
  path: '/api/v1/compress',
  summary: 'Compress, convert, resize, crop, rotate, flip, edit and watermark an image',
  description:
    'The order of work is: orient, crop, flip, rotate, resize, colour adjustments, pad, circle mask, border, watermark, encode. Options combine freely.',
  params: compressParams,
  kept: ['svg'],
  check: checkCompressParams,
  companions: { watermark_image: 'A logo to draw as the watermark (Pro plan).' },
  errors: ['upgrade_required'],
  lane: 'interactive',
  cost: ONE_REQUEST,
  toInput: (image, params, { watermark_image: watermark }) => ({ image, params, ...(watermark ? { watermark } : {}) }),
};

export const compress = imageOperation(compressOperation);
