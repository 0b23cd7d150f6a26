import { type Viewport, ZOOM_STEP } from './use-viewport.ts';

/** The zoom buttons of a view. */
export function ZoomBar({ viewport }: { viewport: Viewport }) {
  return (
    <fieldset class="zoom-bar">
      <legend class="hidden">Zoom</legend>
      <button type="button" aria-label="Zoom out" onClick={() => viewport.zoom(1 / ZOOM_STEP)}>
        −
      </button>
      <output aria-label="Zoom">{viewport.percent}%</output>
      <button type="button" aria-label="Zoom in" onClick={() => viewport.zoom(ZOOM_STEP)}>
        +
      </button>
      <button type="button" onClick={viewport.fit}>
        Fit
      </button>
      <button type="button" onClick={() => viewport.zoomTo(1)}>
        100%
      </button>
    </fieldset>
  );
}

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

interface KeysHelpProps {
  /** Id of the text, for the `aria-describedby` of the element with these keys. */
  id: string;
  children: string;
}

/** Explains the keys in a collapsible text. */
export function KeysHelp({ id, children }: KeysHelpProps) {
  return (
    <details class="keys-help">
      <summary>Keys</summary>
      <p id={id} class="help">
        {children}
      </p>
    </details>
  );
}
