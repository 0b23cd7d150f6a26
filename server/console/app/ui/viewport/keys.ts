import { STEP, type Viewport } from './use-viewport.ts';

/** What the keys do wherever there is a view to zoom, for a text of help. */
export const KEYS_TEXT = 'Plus and minus zoom, 0 fits, 1 shows 100 %.';

/** @returns whether it was one of them */
export function zoomByKey(viewport: Viewport, { key, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  // The browser's own zoom.
  if (ctrlKey || metaKey || altKey) return false;
  if (key === '+' || key === '=') viewport.zoom(STEP);
  else if (key === '-') viewport.zoom(1 / STEP);
  else if (key === '0') viewport.fit();
  else if (key === '1') viewport.zoomTo(1);
  else return false;
  return true;
}
