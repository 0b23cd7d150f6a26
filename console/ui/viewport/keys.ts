import { type Viewport, ZOOM_STEP } from './use-viewport.ts';

/** Help text for the keys of every zoomable view. */
export const KEYS_TEXT = 'Plus and minus zoom, 0 fits, 1 shows 100%.';

/** @returns whether the key was handled */
export function zoomByKey(viewport: Viewport, { key, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  // Leaves the browser's own zoom alone.
  if (ctrlKey || metaKey || altKey) return false;
  if (key === '+' || key === '=') viewport.zoom(ZOOM_STEP);
  else if (key === '-') viewport.zoom(1 / ZOOM_STEP);
  else if (key === '0') viewport.fit();
  else if (key === '1') viewport.zoomTo(1);
  else return false;
  return true;
}
