/**
 * Declares the parameters of `remove-background` with their bounds, defaults and descriptions. Main-thread safe.
 */

import { z } from 'zod';
import { described } from '../../../base/described.ts';
import { invalidParameter } from '../../../base/failure.ts';
import type { Size } from '../../../base/geometry.ts';
import { OUTPUTS } from '../../../codecs/formats/registry.ts';
import { conflictingParameters } from '../errors.ts';
import { colour, integer } from '../parameters.ts';

export const CUT_OUT_FORMATS = ['png', 'webp', 'jpeg'] as const;

const TRANSPARENT = 'transparent';

export const removeBackgroundParams = z.strictObject({
  background: z
    .string()
    .regex(/^(#?[0-9a-fA-F]{6}|transparent|gradient|blur|image)$/)
    .optional()
    .meta({
      'x-form': 'transparent, a colour as #rrggbb, gradient, blur or image',
      description:
        'What stands behind the subject: nothing, a colour, a gradient, the original background, blurred, or the image background_image. A background_image is used without it as well.',
      default: TRANSPARENT,
      examples: ['#f0f0f0'],
    }),
  gradient_from: described(colour().default('#ffffff'), 'Colour at the top, for background=gradient.', '#e0f0ff'),
  gradient_to: described(colour().default('#c8ccd4'), 'Colour at the bottom, for background=gradient.', '#6080a0'),
  blur: described(
    integer(1, 100).default(40),
    'How much background=blur blurs, relative to the size of the image.',
    60,
  ),
  feather: described(
    integer(0, 3).default(1),
    'Softness of the edge, relative to the size of the image; 0 is crisp.',
    2,
  ),
  refine: described(z.boolean().default(false), "Pull the mask onto the photo's own edges: for hair and fur.", true),
  frame: z
    .string()
    .regex(/^[1-9][0-9]{0,4}x[1-9][0-9]{0,4}$/)
    .optional()
    .meta({
      'x-form': 'a size as 800x600',
      description: 'Centre the subject on a canvas of this size, in pixels; it is enlarged where that is needed.',
      examples: ['1000x1000'],
    }),
  subject_fill: described(
    integer(10, 100).default(85),
    'Share of the frame that the subject takes, in percent of the side it reaches first.',
    70,
  ),
  format: described(
    z.enum(CUT_OUT_FORMATS).default('png'),
    'Output format; jpeg needs a background that is not transparent.',
    'webp',
  ),
  mask: described(
    z.boolean().default(false),
    'Return the mask of the whole image instead of the result: a greyscale PNG of at most 1024 pixels on a side, white is subject. Corrected, it can be sent as mask.',
    true,
  ),
});

export type RemoveBackgroundParams = z.output<typeof removeBackgroundParams>;

/** The background behind the subject. */
export type Background =
  | { kind: 'transparent' }
  | { kind: 'colour'; colour: string }
  | { kind: 'gradient'; from: string; to: string }
  | { kind: 'blur'; strength: number }
  | { kind: 'image' };

/**
 * @param imageSent whether there is a form part `background_image`
 * @throws Failure `conflicting_parameters`, or `invalid_parameter` if the requested image was not sent
 */
export function resolveBackground(params: RemoveBackgroundParams, imageSent: boolean): Background {
  const name = params.background ?? (imageSent ? 'image' : TRANSPARENT);
  if (name === 'image' && !imageSent)
    throw invalidParameter('an image for background=image', 'background_image', undefined);
  if (name !== 'image' && imageSent) {
    throw conflictingParameters(
      'background_image',
      `Expected background=image for background_image but received background=${name}.`,
    );
  }
  if (name === TRANSPARENT && !OUTPUTS[params.format].alpha && !params.mask) {
    throw conflictingParameters(
      'format',
      'Expected png or webp, or a background that is not transparent, for format but received "jpeg".',
    );
  }
  switch (name) {
    case 'image':
    case TRANSPARENT:
      return { kind: name };
    case 'gradient':
      return { kind: 'gradient', from: params.gradient_from, to: params.gradient_to };
    case 'blur':
      return { kind: 'blur', strength: params.blur };
    default:
      return { kind: 'colour', colour: name };
  }
}

/** Parses a `frame`. */
export function parseFrame(text: string): Size {
  const [width = 1, height = 1] = text.split('x').map(Number);
  return { width, height };
}
