/** POST /api/v1/remove-background: removes the background of an image. */
import { Failure } from '../../base/failure.ts';
import {
  type RemoveBackgroundParams,
  removeBackgroundParams,
  resolveBackground,
} from '../../engine/operations/remove-background/params.ts';
import { ONE_AI_REQUEST } from '../account/credits.ts';
import type { Allowance } from './declaration.ts';
import { type ImageOperation, imageOperation } from './operation.ts';

/**
 * A request that sends the image part without the feature is refused elsewhere. This refuses one that only asks for it.
 */
function requireFeature({ background }: RemoveBackgroundParams, { features }: Allowance): void {
  if (background !== 'image' || features.includes('background_image')) return;
  throw new Failure(
    'upgrade_required',
    'Expected an account with the plan pro for background=image but received one without it.',
    { param: 'background' },
  );
}

export const removeBackgroundOperation: ImageOperation<'remove-background', typeof removeBackgroundParams> = {
  task: 'remove-background',
  path: '/api/v1/remove-background',
  summary: 'Cut the subject out of a photo',
  description:
    'A model finds the subject on a small copy; the cut-out has the full size of the photo, and at its edge the colours of the subject alone. A mask that is sent takes the place of the model. An AI request in any case.',
  companions: {
    background_image: 'What stands behind the subject with background=image (Pro plan); it covers the whole canvas.',
    mask: "A corrected mask of the same shape, white is subject, in place of the model's.",
  },
  params: removeBackgroundParams,
  errors: ['no_subject', 'invalid_mask', 'model_unavailable', 'scope_required', 'upgrade_required'],
  lane: 'interactive',
  cost: ONE_AI_REQUEST,
  toInput(image, params, { background_image: background, mask }, allowance) {
    requireFeature(params, allowance);
    resolveBackground(params, background !== undefined);
    return { image, params, ...(background ? { background } : {}), ...(mask ? { mask } : {}) };
  },
};

export const removeBackground = imageOperation(removeBackgroundOperation);
