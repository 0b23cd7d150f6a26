import {
  parseFrame,
  type RemoveBackgroundParams,
  removeBackgroundParams,
  resolveBackground,
} from '../operations/remove-background/params.ts';
import { checkCutOutSize } from '../operations/remove-background/size.ts';
import { areaOf, defineStep } from './step.ts';

export type CutOutParams = Omit<RemoveBackgroundParams, 'format' | 'mask'>;

/** Its execution is in worker/remove-background.ts. */
export const removeBackground = defineStep({
  label: { name: 'Remove background', hint: 'Keep the subject alone. Uses a model.', group: 'With a model', place: 1 },
  params({ z }) {
    const { format: _, mask: __, background, ...shape } = removeBackgroundParams.shape;
    return {
      // A step has no form part for an image of its own.
      background: z
        .string()
        .regex(/^(#?[0-9a-fA-F]{6}|transparent|gradient|blur)$/)
        .optional()
        .meta({
          ...background.meta(),
          'x-form': 'transparent, a colour as #rrggbb, gradient or blur',
          description:
            'What stands behind the subject: nothing, a colour, a gradient or the original background, blurred.',
        }),
      ...shape,
    };
  },
  check: (params) => {
    cutOutOf(params);
  },
  effect({ frame }, before, { context }) {
    checkCutOutSize(context, before);
    return { size: frame === undefined ? before : parseFrame(frame), changes: true };
  },
  models: () => ['background'],
  canAddTransparency: (params) => cutOutOf(params).background.kind === 'transparent',
  replacesAlpha: true,
  placeholder(_frame, params, { vips }, { width, height }) {
    const isClear = cutOutOf(params).background.kind === 'transparent';
    return vips.Image.black(width, height, { bands: isClear ? 4 : 3 }).copy({ interpretation: 'srgb' });
  },
  visible: (_params, before, after) => ({ scale: areaOf(after) / areaOf(before) }),
});

/**
 * The options of the step. The format is that of the encoding.
 * @throws Failure `invalid_parameter` for background=image, which pipelines do not support
 */
export function cutOutOf(params: CutOutParams) {
  return {
    params,
    background: resolveBackground({ ...params, format: 'png', mask: false }, false),
    frame: params.frame === undefined ? undefined : parseFrame(params.frame),
  };
}
