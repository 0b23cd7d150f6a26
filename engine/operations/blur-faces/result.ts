import type { ImageResult } from '../../result.ts';

export interface BlurFacesResult extends ImageResult {
  /** Number of areas that were covered. */
  faces: number;
}
