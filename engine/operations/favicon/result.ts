import type { ImageResult, Phases, Warning } from '../../result.ts';

/** `data` is transferred, never copied. */
export interface Pack {
  /** A ZIP. */
  data: ArrayBuffer;
  /** Names of the files in it, in order. */
  files: string[];
}

export interface FaviconResult extends Pack {
  warnings: Warning[];
  source: ImageResult['source'];
  phases: Phases;
}
