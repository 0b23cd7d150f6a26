import { SCALE } from '../../models/upscale.ts';
import { upscaleParams } from '../operations/upscale/params.ts';
import { checkUpscaleSize } from '../operations/upscale/size.ts';
import { defineStep } from './step.ts';

/** Its execution is in worker/upscale.ts. */
export const upscale = defineStep({
  label: { name: 'Upscale', hint: 'Twice as large, with new detail. Uses a model.', group: 'With a model', place: 3 },
  params: () => ({ scale: upscaleParams.shape.scale }),
  effect(_params, { width, height }, { context, maxPixels }) {
    checkUpscaleSize(context, { width, height }, maxPixels);
    return { size: { width: width * SCALE, height: height * SCALE }, changes: true };
  },
  models: () => ['upscale'],
  acceptsDepth: true,
  placeholder: (frame) => frame.zoom(SCALE, SCALE),
  visible: () => ({ scale: SCALE ** 2 }),
});
