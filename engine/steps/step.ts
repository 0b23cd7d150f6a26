import type { Modules } from '../../codecs/modules.ts';
import type { VipsApi } from '../../codecs/vips.ts';

/** What a step may use. A step takes one upright frame and its own parameters and answers the changed frame. */
export interface StepContext {
  vips: VipsApi;
  modules: Modules;
  /** The result can be see-through; else `background` is painted where it would be. */
  transparent: boolean;
  /** `#rrggbb` */
  background: string;
}

export interface Size {
  width: number;
  height: number;
}
