import type { ImageResult } from '../../result.ts';

export interface BlurFacesResult extends ImageResult {
  /** Areas that were covered. */
  faces: number;
}
