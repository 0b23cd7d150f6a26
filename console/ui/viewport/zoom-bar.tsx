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
