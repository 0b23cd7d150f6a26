import type { ImageResult } from '../../result.ts';

/** Durations of one play in milliseconds, as browsers play it. */
export interface GifResult extends ImageResult {
  frames: number;
  animationMs: number;
  sourceFrames: number;
  sourceAnimationMs: number;
}
