import type { ImageResult, Phases, Warning } from '../../result.ts';

/** `data` is transferred, never copied. */
export interface Pack {
  /** A ZIP file. */
  data: ArrayBuffer;
  /** Names of its files, in order. */
  files: string[];
}

export interface FaviconResult extends Pack {
  warnings: Warning[];
  source: ImageResult['source'];
  phases: Phases;
}
