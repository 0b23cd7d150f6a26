import type { ImageResult } from '../../result.ts';

/** Lengths in milliseconds, of one play, as browsers play it. */
export interface GifResult extends ImageResult {
  frames: number;
  animationMs: number;
  sourceFrames: number;
  sourceAnimationMs: number;
}
