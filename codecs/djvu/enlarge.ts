/** Brings a background layer to the size of its page. */
import type { Raster, Size } from './raster.ts';

/** Between two pixels there are as many steps. */
const STEPS = 16;

/**
 * Interpolates between the pixels of a layer, in sixteenths of their distance. Its pixels cover squares of
 * `reduction` pixels each, the first at the bottom left corner of the page.
 */
export function enlarge(layer: Raster, reduction: number, page: Size): Raster {
  if (reduction === 1) return layer;
  const { channels } = layer;
  const data = new Uint8Array(page.width * page.height * channels);
  const columns = positions(page.width, layer.width, reduction);
  const rows = positions(page.height, layer.height, reduction);
  const layerRow = layer.width * channels;
  const blended = new Uint8Array(layerRow);
  let write = 0;
  for (let y = 0; y < page.height; y++) {
    const position = rows[page.height - 1 - y]!;
    const below = Math.max(0, position >> 4);
    const above = Math.min(below + 1, layer.height - 1);
    // Outside the middles of the outermost pixels these go on.
    const part = position < 0 ? 0 : position & (STEPS - 1);
    const lower = (layer.height - 1 - below) * layerRow;
    const upper = (layer.height - 1 - above) * layerRow;
    for (let at = 0; at < layerRow; at++) {
      const from = layer.data[lower + at]!;
      blended[at] = from + (((layer.data[upper + at]! - from) * part + STEPS / 2) >> 4);
    }
    for (let x = 0; x < page.width; x++) {
      const column = columns[x]!;
      const left = Math.max(0, column >> 4) * channels;
      const right = Math.min(left + channels, layerRow - channels);
      const share = column < 0 ? 0 : column & (STEPS - 1);
      for (let channel = 0; channel < channels; channel++) {
        const from = blended[left + channel]!;
        data[write++] = from + (((blended[right + channel]! - from) * share + STEPS / 2) >> 4);
      }
    }
  }
  return { data, ...page, channels };
}

/** The place of each pixel's middle among the middles of the layer's pixels, in steps. */
function positions(count: number, layerCount: number, reduction: number): Int32Array {
  const first = Math.floor((STEPS + reduction) / (2 * reduction)) - STEPS / 2;
  const last = (layerCount - 1) * STEPS;
  return Int32Array.from({ length: count }, (_, at) =>
    Math.min(first + Math.floor((Math.floor(reduction / 2) + at * STEPS) / reduction), last),
  );
}
