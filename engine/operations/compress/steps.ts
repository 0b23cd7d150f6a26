/** The steps of compress, made from its parameters. */

import { hasAlpha } from '../../../codecs/colour.ts';
import { mapFrames } from '../../../codecs/decoded-image.ts';
import { adjust } from '../../steps/adjust.ts';
import { border } from '../../steps/border.ts';
import { flatten } from '../../steps/canvas.ts';
import { circle, crop } from '../../steps/crop.ts';
import { flip } from '../../steps/flip.ts';
import { padToCanvas } from '../../steps/pad.ts';
import { resizeWithoutPadding } from '../../steps/resize.ts';
import { rotate } from '../../steps/rotate.ts';
import { type BoundStep, bindStep, type StepDefinition, sameSize } from '../../steps/step.ts';
import { watermark } from '../../steps/watermark.ts';
import { workerDefinition } from '../../steps/worker/registry.ts';
import type { CompressParams } from './params.ts';

/** Paints the background behind transparent pixels: in compress, before a border and a watermark are drawn. */
const flattening: StepDefinition<{ background: string }> = {
  effect: (_params, before) => sameSize(before, true),
  apply: (image, { background }) =>
    mapFrames(image, (frame) => (hasAlpha(frame) ? flatten(frame, { background }) : frame)),
};

/**
 * Lists the steps in the order that the API defines. Those that change nothing are skipped.
 * @param isOpaque whether the result cannot have transparency
 */
export function stepsOf(params: CompressParams, hasLogo: boolean, isOpaque: boolean): BoundStep[] {
  const isDrawnOn = params.border > 0 || params.watermark_text !== undefined || hasLogo;
  return [
    ...(params.trim ? [bindStep(workerDefinition('trim'), params)] : []),
    bindStep(crop, { ...params, crop_shape: 'rect' }),
    bindStep(flip, params),
    // New corners stay transparent until the adjustments are done, which must not change the background.
    bindStep(rotate, { ...params, background: undefined }),
    bindStep(resizeWithoutPadding, params),
    bindStep(adjust, params),
    bindStep(padToCanvas, { background: isOpaque ? params.background : undefined }),
    bindStep(circle, params),
    // The area that the circle cleared shows the background, not the border colour, so paint it first.
    ...(isOpaque && isDrawnOn ? [bindStep(flattening, params)] : []),
    bindStep(
      border,
      isOpaque && params.border_color === 'transparent' ? { ...params, border_color: params.background } : params,
    ),
    bindStep(watermark, { ...params, logo: hasLogo }),
  ];
}
