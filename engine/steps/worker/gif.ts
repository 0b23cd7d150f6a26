import type { GifParams } from '../../operations/gif/params.ts';
import { planGif } from '../../operations/gif/plan.ts';
import type { Effect, EffectContext, Size } from '../step.ts';

export function gifEffect(params: GifParams, _before: Size, { context, source }: EffectContext): Effect {
  return { size: planGif(context, source, { ...params, page: 1 }).resizing.scaled, changes: true };
}
