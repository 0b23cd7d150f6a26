/** Declares the parameters of `gif` with their bounds, defaults and descriptions. Main-thread safe. */
import { z } from 'zod';
import { invalidParameter } from '../../../base/failure.ts';
import { box, integer } from '../parameters.ts';
import { ANIMATION_FORMATS } from './formats.ts';
import { milliseconds } from './timeline.ts';

const seconds = () => z.number().min(0);

export const gifParams = z.strictObject({
  crop: box()
    .optional()
    .meta({
      description: 'x,y,width,height in pixels of the animation as displayed; applied to every frame.',
      examples: ['10,20,300,200'],
    }),
  width: integer(1, 10_000)
    .optional()
    .meta({ description: 'Resize to this width, keeping the shape; never enlarges.', examples: [320] }),
  trim_start: seconds()
    .optional()
    .meta({ description: 'Seconds cut from the start.', examples: [0.5] }),
  trim_end: seconds()
    .optional()
    .meta({ description: 'Seconds from the start where the animation ends.', examples: [2.5] }),
  speed: integer(25, 400)
    .default(100)
    .meta({ description: 'Percent; no frame is shown for less than 20 ms.', examples: [150] }),
  reverse: z
    .boolean()
    .default(false)
    .meta({ description: 'Play the animation backwards.', examples: [true] }),
  every: integer(1, 4)
    .default(1)
    .meta({ description: "Keep every Nth frame; dropped frames' time goes to the kept one.", examples: [2] }),
  colours: integer(2, 256)
    .default(256)
    .meta({
      description: 'Palette size for GIF output; transparency that is seen counts as a colour.',
      examples: [64],
    }),
  loop: integer(0, 65_535)
    .optional()
    .meta({
      description:
        'How often the animation is repeated after it has played once; 0 is for ever. Without it as in the upload.',
      examples: [0],
    }),
  format: z
    .enum(ANIMATION_FORMATS)
    .default('gif')
    .meta({ description: 'Output format; webp writes an animated WebP.', examples: ['webp'] }),
});

export type GifParams = z.output<typeof gifParams>;

/**
 * Checks rules that involve several parameters.
 * @throws Failure `invalid_parameter`
 */
export function checkGifParams({ trim_start: start = 0, trim_end: end }: GifParams): void {
  if (end === undefined || milliseconds(end) > milliseconds(start)) return;
  throw invalidParameter(`a time after trim_start (${start} s)`, 'trim_end', end);
}
