import type { GifParams } from '../../operations/gif/params.ts';
import { planGif } from '../../operations/gif/plan.ts';
import type { StepDefinition } from '../step.ts';

/** Loaded on first use: workers that only compress do without it. */
const loadGif = () => import('../../operations/gif/run.ts');

export const gif: Partial<StepDefinition<GifParams>> = {
  effect: (params, _before, { context, source }) => ({
    size: planGif(context, source, params).resizing.scaled,
    changes: true,
  }),
  editFrames(params, source, context) {
    const plan = planGif(context, source, params);
    const { animation, sequential, shown, cropped, resizing } = plan;
    return {
      ...{ animation, sequential, count: shown.length, cropped, scaled: resizing.scaled },
      async make(tolerant, isStill) {
        const { editFrames } = await loadGif();
        return await editFrames(source, { ...plan, shown: isStill ? shown.slice(0, 1) : shown }, params, tolerant);
      },
    };
  },
  async writeFile(params, { context, image, tolerant }) {
    const { editAnimation } = await loadGif();
    const edited = await editAnimation(context, { image, params }, tolerant);
    const { frames, animationMs, sourceFrames, sourceAnimationMs, ...result } = edited;
    return result;
  },
};
