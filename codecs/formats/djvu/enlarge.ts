/** Scales a background layer to the size of its page. */
import type { Size } from '../../../base/geometry.ts';
import type { Kernels } from '../../kernels/kernels.ts';
import type { Raster } from './raster.ts';

/** Steps from one pixel of a layer to the next. */
const STEPS = 16;
const STEP_BITS = 4;

/**
 * Interpolates between the pixels of a layer, in sixteenths of their distance. Each pixel of the layer covers a square
 * of `reduction` x `reduction` pixels, the first at the bottom left corner of the page.
 * @param reduction pixels of the page for each pixel of the layer. Below 1 the layer is shrunk: at 0.5 a pixel is the
 *   mean of four
 */
export function enlarge(kernels: Kernels, layer: Raster, reduction: number, page: Size): Raster {
  if (reduction === 1) return layer;
  const { channels } = layer;
  const rows = interpolationOf(page.height, layer.height, reduction);
  const columns = interpolationOf(page.width, layer.width, reduction);
  kernels.free();
  const { run } = kernels;
  const places = kernels.place(Uint32Array.from(columns.between, (pixel) => pixel * channels));
  const parts = kernels.place(columns.parts);
  const layerRow = layer.width * channels;
  const pageRow = page.width * channels;
  const samples = kernels.place(layer.data);
  const line = kernels.reserve(layerRow);
  const row = kernels.reserve(pageRow);
  const data = new Uint8Array(pageRow * page.height);
  const rowOf = (fromBottom: number) => samples + (layer.height - 1 - fromBottom) * layerRow;
  for (let y = 0; y < page.height; y++) {
    const at = page.height - 1 - y;
    run.blendLines(line, rowOf(rows.between[2 * at]!), rowOf(rows.between[2 * at + 1]!), rows.parts[at]!, layerRow);
    run.blendAlong(row, line, places, parts, page.width, channels);
    data.set(kernels.bytes(row, pageRow), y * pageRow);
  }
  return { data, ...page, channels };
}

/** For each pixel of the page: the two pixels of the layer around it, and its distance from the first in steps. */
interface Interpolation {
  between: Uint32Array;
  parts: Uint8Array;
}

function interpolationOf(count: number, layerCount: number, reduction: number): Interpolation {
  const places = { between: new Uint32Array(2 * count), parts: new Uint8Array(count) };
  const stepOf = Number.isInteger(reduction) ? wholeSteps(reduction) : steps(reduction);
  const last = layerCount - 1;
  for (let at = 0; at < count; at++) {
    const inside = Math.min(Math.max(stepOf(at), 0), last * STEPS);
    places.between[2 * at] = inside >> STEP_BITS;
    places.between[2 * at + 1] = Math.min((inside >> STEP_BITS) + 1, last);
    places.parts[at] = inside & (STEPS - 1);
  }
  return places;
}

/**
 * Returns the distance in steps from the centre of the layer's first pixel to that of a page pixel, rounded as in
 * DjVuLibre.
 */
function wholeSteps(reduction: number): (at: number) => number {
  // The centre of the page's first pixel lies before the centre of the layer's first pixel.
  const first = Math.floor((STEPS + reduction) / (2 * reduction)) - STEPS / 2;
  return (at) => first + Math.floor((Math.floor(reduction / 2) + at * STEPS) / reduction);
}

const steps =
  (reduction: number): ((at: number) => number) =>
  (at) =>
    Math.round(((at + 0.5) / reduction - 0.5) * STEPS);
