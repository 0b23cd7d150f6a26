/** Declares the parameters of `blur-faces` with their bounds, defaults and descriptions. Main-thread safe. */

import { z } from 'zod';
import { described } from '../../../base/described.ts';
import type { Box } from '../../../base/geometry.ts';
import { integer } from '../parameters.ts';
import { parseBox } from '../parse-parameters.ts';

export const EFFECTS = ['blur', 'pixelate'] as const;

/** Output formats. `auto` keeps the source's format if it is one of them. */
export const COVERED_FORMATS = ['jpeg', 'png', 'webp', 'avif', 'tiff'] as const;
export type CoveredFormat = (typeof COVERED_FORMATS)[number];

/** From this strength on, a face cannot be recovered (cover.ts). */
export const SAFE_STRENGTH = 60;

const AREA = '-?[0-9]{1,6},-?[0-9]{1,6},[1-9][0-9]{0,5},[1-9][0-9]{0,5}';
/** At most 200 areas (docs/spec/shapes.md, section 8). */
const AREAS = new RegExp(`^(${AREA}(;${AREA}){0,199})?$`);

export const blurFacesParams = z.strictObject({
  effect: described(z.enum(EFFECTS).default('blur'), 'How the areas are covered.', 'pixelate'),
  strength: described(
    integer(1, 100).default(SAFE_STRENGTH),
    `Blur radius or size of the pixel blocks, relative to each face. From ${SAFE_STRENGTH} on a face cannot be recovered: what is left of it are the means of at most five by five blocks. Below it, the result warns \`weak_cover\` where a covered face can still be detected.`,
    80,
  ),
  boxes: z
    .string()
    .regex(AREAS)
    .optional()
    .meta({
      description:
        'Areas to cover, x,y,width,height in pixels of the image as displayed, separated by semicolons; parts outside the image are cut off. No model runs and the request is an ordinary one. An empty value covers nothing; in a pipeline it is refused. Without boxes every face that is found is covered.',
      'x-form': 'at most 200 areas x,y,width,height in whole pixels, separated by semicolons',
      examples: ['120,40,200,260;640,80,180,230'],
    }),
  format: described(
    z.enum(['auto', ...COVERED_FORMATS]).default('auto'),
    "Output format; auto keeps the upload's where it is one of these, else JPEG.",
    'png',
  ),
});

export type BlurFacesParams = z.output<typeof blurFacesParams>;

/** Parses a list of boxes that matches the declaration. */
export const parseBoxes = (text: string): Box[] => (text === '' ? [] : text.split(';').map(parseBox));
