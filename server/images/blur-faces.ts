/** POST /api/v1/blur-faces: blurs or pixelates faces, or given areas. */
import { blurFacesParams } from '../../engine/operations/blur-faces/params.ts';
import { ONE_AI_REQUEST, ONE_REQUEST } from '../account/credits.ts';
import { type ImageOperation, imageOperation } from './operation.ts';

export const blurFacesOperation: ImageOperation<'blur-faces', typeof blurFacesParams> = {
  task: 'blur-faces',
  path: '/api/v1/blur-faces',
  summary: 'Blur or pixelate faces',
  description:
    'Covers an ellipse a little larger than each box, with a soft edge; everything else of the picture stays, its metadata do not. Without `boxes` an AI request, which covers every face that is found: look at the result where it matters, because small, turned-away and covered faces can be missed. When nothing is covered and the format stays, the picture is not encoded anew.',
  params: blurFacesParams,
  errors: ['scope_required', 'model_unavailable'],
  lane: 'interactive',
  cost: ({ boxes }) => (boxes === undefined ? ONE_AI_REQUEST : ONE_REQUEST),
  toInput: (image, params) => ({ image, params }),
  facts: ({ faces }) => ({ faces }),
};

export const blurFaces = imageOperation(blurFacesOperation);
