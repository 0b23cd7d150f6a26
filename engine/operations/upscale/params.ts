/** Declares the parameters of `upscale` with their bounds, defaults and descriptions. Main-thread safe. */
import { z } from 'zod';
import { described } from '../../../base/described.ts';

export const UPSCALE_FORMATS = ['jpeg', 'png', 'webp', 'avif', 'gif', 'tiff'] as const;

export const upscaleParams = z.strictObject({
  scale: described(z.enum(['2']).default('2'), 'How many times as wide and high the result is.', '2'),
  format: described(
    z.enum(['auto', ...UPSCALE_FORMATS]).default('auto'),
    'Output format; auto keeps the format of the upload where it is one of these, and else takes png for images that are transparent or have at most 256 colours and jpeg for the rest.',
    'png',
  ),
});

export type UpscaleParams = z.output<typeof upscaleParams>;
