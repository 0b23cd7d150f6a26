import { Failure } from '../../../base/failure.ts';
import type { ImageResult } from '../../result.ts';
import type { SourceFile } from '../../source-file.ts';
import type { Allowance, OperationDefinition, OperationInput } from '../definition.ts';
import { CUT_OUT_FORMATS, type RemoveBackgroundParams, removeBackgroundParams, resolveBackground } from './params.ts';

export interface RemoveBackgroundInput extends OperationInput<RemoveBackgroundParams> {
  /** The image behind the subject. */
  background?: SourceFile;
  /** Used instead of the model's mask. */
  mask?: SourceFile;
}

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

const { background, format, refine, frame, subject_fill } = removeBackgroundParams.shape;

export const removeBackground: OperationDefinition<
  'remove-background',
  typeof removeBackgroundParams,
  RemoveBackgroundInput,
  ImageResult
> = {
  name: 'remove-background',
  title: 'Remove background',
  hint: 'The subject of a photo without its background.',
  summary: 'Remove the background of an image',
  description:
    'A model finds the subject on a small copy of the image; the result has the full size, and its edge has the colours of the subject only. A mask in the request replaces the model. Every request is an AI request.',
  params: removeBackgroundParams,
  groups: [
    { title: 'Background', isOpen: true, parameters: ['background', 'gradient_from', 'gradient_to', 'blur'] },
    { title: 'Edge', isOpen: true, parameters: ['refine', 'feather'] },
    { title: 'Frame', parameters: ['frame', 'subject_fill'] },
    { title: 'File', isOpen: true, parameters: ['format'] },
  ],
  auxiliaryImages: {
    background_image: 'The image behind the subject with background=image. It covers the whole canvas.',
    mask: "A mask of the same shape that replaces the model's; white is the subject.",
  },
  output: { kind: 'image', formats: CUT_OUT_FORMATS, defaultFormat: 'png' },
  errors: ['no_subject', 'invalid_mask', 'model_unavailable', 'upgrade_required'],
  meter: 'ai',
  model: 'background',
  runsModel: ({ mask }) => mask === undefined,
  timeFactor: 2,
  estimate: { baseMs: 700, megapixelMs: 150, encodes: true },
  toInput(image, params, { background_image: background, mask }, allowance) {
    requireFeature(params, allowance);
    resolveBackground(params, background !== undefined);
    return { image, params, ...(background ? { background } : {}), ...(mask ? { mask } : {}) };
  },
  commandExamples: ['portrait.jpg -o cutout.png', "'shop/*.jpg' -o white --background ffffff --format jpeg"],
  agentTools: [
    {
      name: 'remove_background',
      title: 'Remove the background of a photo',
      description:
        'Removes the background of an image, at full size. Costs one AI request and needs a key with the scope ai. The subject cannot be chosen.',
      params: removeBackgroundParams.pick({}).extend({
        background: background
          .unwrap()
          .refine((value) => value !== 'image')
          .optional()
          .meta({
            'x-form': 'transparent, a colour as #rrggbb, gradient or blur',
            description:
              'What is behind the subject: transparent, a colour as #rrggbb, gradient, or the original background, blurred (blur).',
            examples: ['#f0f0f0'],
          }),
        format,
        refine,
        frame,
        subject_fill,
      }),
    },
  ],
};
