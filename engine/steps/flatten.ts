import { hasAlpha } from '../../codecs/colour.ts';
import { mapFrames } from '../../codecs/picture.ts';
import { flatten } from './canvas.ts';
import { type StepDefinition, sameSize } from './step.ts';

/** Paints the background behind transparent pixels: in compress, before a border and a watermark are drawn. */
export const flattening: StepDefinition<{ background: string }> = {
  effect: (_params, before) => sameSize(before, true),
  apply: (picture, { background }) =>
    mapFrames(picture, (frame) => (hasAlpha(frame) ? flatten(frame, { background }) : frame)),
};
