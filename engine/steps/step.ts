import type { Modules } from '../../codecs/modules.ts';
import type { VipsApi } from '../../codecs/vips.ts';

/** What a step may use. A step takes one upright frame and its own parameters and returns the changed frame. */
export interface StepContext {
  vips: VipsApi;
  modules: Modules;
  /** Whether the result can have transparency; otherwise `background` is painted instead. */
  transparent: boolean;
  /** `#rrggbb` */
  background: string;
}

export interface Size {
  width: number;
  height: number;
}
