/** Brings a background layer to the size of its page. */
import type { Raster, Size } from './raster.ts';

/** From one pixel of a layer to the next. */
const STEPS = 16;
const STEP_BITS = 4;

/**
 * Interpolates between the pixels of a layer, in sixteenths of their distance. Its pixels cover squares of
 * `reduction` pixels each, the first at the bottom left corner of the page.
 */
export function enlarge(layer: Raster, reduction: number, page: Size): Raster {
  if (reduction === 1) return layer;
  const { channels } = layer;
  const data = new Uint8Array(page.width * page.height * channels);
  const columns = placesOf(page.width, layer.width, reduction);
  const rows = placesOf(page.height, layer.height, reduction);
  const layerRow = layer.width * channels;
  const blended = new Uint8Array(layerRow);
  const fill = channels === 1 ? fillGreyRow : fillColourRow;
  for (let y = 0; y < page.height; y++) {
    const fromBottom = page.height - 1 - y;
    const lower = (layer.height - 1 - rows.before[fromBottom]!) * layerRow;
    const upper = (layer.height - 1 - rows.after[fromBottom]!) * layerRow;
    const part = rows.parts[fromBottom]!;
    for (let at = 0; at < layerRow; at++) blended[at] = blend(layer.data[lower + at]!, layer.data[upper + at]!, part);
    fill(data, y * page.width * channels, blended, columns);
  }
  return { data, ...page, channels };
}

/** Between which two pixels of a layer each pixel of the page lies, and how many steps after the first. */
interface Places {
  before: Int32Array;
  after: Int32Array;
  parts: Uint8Array;
}

function placesOf(count: number, layerCount: number, reduction: number): Places {
  const places = { before: new Int32Array(count), after: new Int32Array(count), parts: new Uint8Array(count) };
  // The middle of the page's first pixel lies before that of the layer's, which goes on to the edge.
  const first = Math.floor((STEPS + reduction) / (2 * reduction)) - STEPS / 2;
  const last = layerCount - 1;
  for (let at = 0; at < count; at++) {
    const step = first + Math.floor((Math.floor(reduction / 2) + at * STEPS) / reduction);
    const inside = Math.min(Math.max(step, 0), last * STEPS);
    places.before[at] = inside >> STEP_BITS;
    places.after[at] = Math.min((inside >> STEP_BITS) + 1, last);
    places.parts[at] = inside & (STEPS - 1);
  }
  return places;
}

function blend(from: number, to: number, part: number): number {
  return from + (((to - from) * part + STEPS / 2) >> STEP_BITS);
}

function fillGreyRow(data: Uint8Array, start: number, row: Uint8Array, { before, after, parts }: Places): void {
  for (let x = 0; x < parts.length; x++) data[start + x] = blend(row[before[x]!]!, row[after[x]!]!, parts[x]!);
}

function fillColourRow(data: Uint8Array, start: number, row: Uint8Array, { before, after, parts }: Places): void {
  for (let x = 0, write = start; x < parts.length; x++, write += 3) {
    const left = before[x]! * 3;
    const right = after[x]! * 3;
    const part = parts[x]!;
    data[write] = blend(row[left]!, row[right]!, part);
    data[write + 1] = blend(row[left + 1]!, row[right + 1]!, part);
    data[write + 2] = blend(row[left + 2]!, row[right + 2]!, part);
  }
}
