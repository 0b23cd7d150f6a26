/** The colours of an image: median cut (Heckbert, 1982) over the pixels of a reduced version. Deterministic. */

/** Samples of the reduced image: RGBA, 8 bits, not premultiplied. */
export interface ReducedImage {
  data: Uint8Array;
  width: number;
  height: number;
}

export interface Palette {
  /** As `#rrggbb`. */
  average: string;
  dominant: string;
  /** Most frequent first. */
  palette: string[];
}

const MAX_COLOURS = 8;
const CHANNELS = 4;
/** Pixels with less alpha count as invisible. */
const MIN_ALPHA = 32;
/** A box with a smaller colour range, in levels, is not split. */
const MIN_SPLIT_RANGE = 12;
/** Colours closer than this are merged. */
const MAX_MERGE_DISTANCE = 20;

type Colour = [red: number, green: number, blue: number];

/** Null if no pixel is visible. */
export function paletteOf({ data }: ReducedImage): Palette | null {
  const pixels: Colour[] = [];
  for (let at = 0; at < data.length; at += CHANNELS) {
    if (data[at + 3]! >= MIN_ALPHA) pixels.push([data[at]!, data[at + 1]!, data[at + 2]!]);
  }
  if (pixels.length === 0) return null;
  const boxes = cut(pixels).map((box) => ({ colour: meanOf(box), pixels: box.length }));
  const merged = merge(boxes.toSorted((one, other) => other.pixels - one.pixels));
  const palette = merged.map(({ colour }) => hex(colour));
  return { average: hex(meanOf(pixels)), dominant: palette[0]!, palette };
}

/**
 * Splits the box with the widest range of many pixels at the median of its longest side, until there are enough boxes.
 */
function cut(pixels: Colour[]): Colour[][] {
  const boxes = [pixels];
  while (boxes.length < MAX_COLOURS) {
    const measured = boxes.map((box, index) => ({ index, size: box.length, ...longestSide(box) }));
    const [widest] = measured
      .filter(({ length }) => length >= MIN_SPLIT_RANGE)
      .toSorted((one, other) => other.length * Math.sqrt(other.size) - one.length * Math.sqrt(one.size));
    if (!widest) break;
    const { channel, index } = widest;
    const sorted = boxes[index]!.toSorted((one, other) => one[channel] - other[channel]);
    const middle = middleOf(sorted, channel);
    boxes.splice(index, 1, sorted.slice(0, middle), sorted.slice(middle));
  }
  return boxes;
}

/** The median, moved to the next change of value, so that equal colours stay together. */
function middleOf(sorted: readonly Colour[], channel: 0 | 1 | 2): number {
  const value = sorted[sorted.length >> 1]![channel];
  const start = sorted.findIndex((colour) => colour[channel] >= value);
  if (start > 0) return start;
  return sorted.findIndex((colour) => colour[channel] > value);
}

function longestSide(box: readonly Colour[]): { channel: 0 | 1 | 2; length: number } {
  const lengths = ([0, 1, 2] as const).map((channel) => {
    let [least, most] = [255, 0];
    for (const colour of box) {
      least = Math.min(least, colour[channel]);
      most = Math.max(most, colour[channel]);
    }
    return { channel, length: most - least };
  });
  return lengths.reduce((longest, side) => (side.length > longest.length ? side : longest));
}

function meanOf(box: readonly Colour[]): Colour {
  const sum: Colour = [0, 0, 0];
  for (const colour of box) for (const channel of [0, 1, 2] as const) sum[channel] += colour[channel];
  return sum.map((value) => value / box.length) as Colour;
}

/** Merges each box into a larger one of similar colour, if there is one. */
function merge(boxes: readonly { colour: Colour; pixels: number }[]): { colour: Colour; pixels: number }[] {
  const merged: { colour: Colour; pixels: number }[] = [];
  for (const box of boxes) {
    const near = merged.find(({ colour }) => Math.hypot(...difference(colour, box.colour)) < MAX_MERGE_DISTANCE);
    if (near) near.pixels += box.pixels;
    else merged.push({ ...box });
  }
  return merged.toSorted((one, other) => other.pixels - one.pixels);
}

const difference = (one: Colour, other: Colour): Colour => [one[0] - other[0], one[1] - other[1], one[2] - other[2]];

const hex = (colour: Colour): string =>
  `#${colour.map((value) => Math.round(value).toString(16).padStart(2, '0')).join('')}`;
