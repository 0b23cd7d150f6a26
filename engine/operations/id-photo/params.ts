/** Declares the parameters of `id-photo` with their bounds, defaults and descriptions. Main-thread safe. */
import { z } from 'zod';
import { described } from '../../../base/described.ts';
import type { ModelPurpose } from '../../../models/catalogue.ts';
import { box, colour, integer, number } from '../parameters.ts';
import { PHOTO_FORMATS } from './presets.ts';

/** Values used if neither the request nor the preset gives one. */
export const PHOTO_DEFAULTS = { dpi: 300, format: 'jpeg', background: '#ffffff' } as const;

const millimetres = () => number(5, 300);
const pixels = () => integer(16, 6000);
const fileBytes = () => integer(1000, 50_000_000);

// A parameter that a preset also sets is optional here, and its default is only documented: a requested value overrides
// the preset, a default does not.
export const idPhotoParams = z.strictObject({
  preset: described(z.string().optional(), 'A size from the list of presets; other parameters override it.', 'us_visa'),
  width_mm: described(
    millimetres().optional(),
    'Width in millimetres, together with height_mm; dpi turns it into pixels.',
    35,
  ),
  height_mm: described(millimetres().optional(), 'Height in millimetres, together with width_mm.', 45),
  width: described(pixels().optional(), 'Width in pixels, together with height; not together with millimetres.', 600),
  height: described(pixels().optional(), 'Height in pixels, together with width.', 600),
  dpi: integer(72, 1200)
    .optional()
    .meta({
      description:
        'Turns millimetres, also those of a preset, into pixels; recorded in the file. Of a size in pixels it is only recorded.',
      default: PHOTO_DEFAULTS.dpi,
      examples: [600],
    }),
  crop: described(
    box().optional(),
    "x,y,width,height in pixels of the image as displayed; the largest centred part of it that has the photo's shape is used. Default: the whole image.",
    '120,40,700,900',
  ),
  align: described(
    z.enum(['none', 'face']).default('none'),
    'face finds the largest face, levels eyes that slope by 5 to 15 degrees, and chooses the area so that the head has the height of the preset, or 70 to 80% of the photo (ICAO 9303), with the eyes at 50 to 60%. The crown is estimated. Not together with crop; an AI request. none uses crop.',
    'face',
  ),
  format: z
    .enum(PHOTO_FORMATS)
    .optional()
    .meta({ description: 'Output format.', default: PHOTO_DEFAULTS.format, examples: ['png'] }),
  min_bytes: described(
    fileBytes().optional(),
    'Least size of the file, reached by padding; the image stays the same.',
    51200,
  ),
  max_bytes: described(
    fileBytes().optional(),
    'Largest size of the file, reached by quality alone; the size in pixels stays the same.',
    240000,
  ),
  background: colour()
    .optional()
    .meta({
      description: 'Painted behind transparent pixels, and behind the person with remove_background.',
      default: PHOTO_DEFAULTS.background,
      examples: ['#f0f0f0'],
    }),
  remove_background: described(
    z.boolean().default(false),
    'Replace what is behind the person by the background; an AI request.',
    true,
  ),
  sheet: described(
    z.boolean().default(false),
    'Return a 4 x 6 inch (10 x 15 cm) sheet of copies with 2 mm gaps; min_bytes and max_bytes apply to the sheet.',
    true,
  ),
});

export type IdPhotoParams = z.output<typeof idPhotoParams>;

/** The models that a photo needs. */
export const modelsOf = ({ align, remove_background }: IdPhotoParams): ModelPurpose[] => [
  ...(align === 'face' ? (['faces'] as const) : []),
  ...(remove_background ? (['background'] as const) : []),
];
