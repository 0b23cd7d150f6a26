/** Starts HarfBuzz, compiled to WebAssembly, in this thread. Worker side. */
import { trackStarted } from '../memory.ts';

export type HarfBuzz = typeof import('harfbuzzjs');

let started: Promise<HarfBuzz> | undefined;

/** Starts it on the first call: most workers never draw text. */
export function loadHarfBuzz(): Promise<HarfBuzz> {
  started ??= trackStarted(() => import('harfbuzzjs'));
  return started;
}
