/** Chooses the colour type and depth (PNG, third edition, section 11.2.1) that hold an image in the fewest bits. */
import type { Address } from '../kernels/kernels.ts';
import type { PixelFacts, PixelFormat } from '../pixel-facts.ts';

/** How the rows of the file are made from libvips' pixels. */
export type RowSource =
  /** The bytes at these offsets in each pixel; below a depth of 8 one byte, which is the sample. */
  | { picked: readonly number[] }
  /** One sample per pixel, by the index of its colour in the `block` of `PixelFacts`. */
  | { samples: Uint8Array; block: Address };

export interface PngLayout {
  colourType: 0 | 2 | 3 | 4 | 6;
  depth: 1 | 2 | 4 | 8 | 16;
  /** RGB. */
  palette?: Uint8Array;
  /** Alpha of the first colours of the palette. */
  transparency?: Uint8Array;
  /** Similar colours have no similar indices, so filters do not help. Default: false. */
  isUnordered?: boolean;
  rows: RowSource;
}

/** Keeps all bands and bits. Samples become big-endian. */
export const plainLayout = (format: PixelFormat): PngLayout =>
  directLayout(format, { isGrey: format.bands < 3, isOpaque: format.bands % 2 === 1, depth: format.depth });

function directLayout(
  { bands, depth: stored }: PixelFormat,
  { isGrey, isOpaque, depth }: { isGrey: boolean; isOpaque: boolean; depth: 8 | 16 },
): PngLayout {
  const kept = [0, ...(isGrey ? [] : [1, 2]), ...(isOpaque ? [] : [bands - 1])];
  const picked = kept.flatMap((band) => (stored === 8 ? [band] : depth === 8 ? [2 * band] : [2 * band + 1, 2 * band]));
  return { colourType: isGrey ? (isOpaque ? 0 : 4) : isOpaque ? 2 : 6, depth, rows: { picked } };
}

export interface LayoutOptions {
  /**
   * RGB stays RGB even if all of it is grey, for example because of its profile. Grey always stays grey. Default:
   * false.
   */
  keepColour?: boolean;
  /** Alpha stays even if all of it is opaque. Default: false. */
  keepAlpha?: boolean;
}

/**
 * Chooses layouts for an image.
 * @returns the layout with the fewest bits per pixel; if it has a palette, followed by the best layout without one
 */
export function layoutsOf(
  facts: PixelFacts,
  format: PixelFormat,
  { keepColour = false, keepAlpha = false }: LayoutOptions = {},
): [PngLayout, ...PngLayout[]] {
  const { bands, depth } = format;
  const isGrey = bands < 3 || (facts.isGrey && !keepColour);
  const isOpaque = bands % 2 === 1 || (facts.isOpaque && !keepAlpha);
  const direct = directLayout(format, { isGrey, isOpaque, depth: depth === 16 && !facts.isShallow ? 16 : 8 });
  const { colours } = facts;
  if (!colours) return [direct];
  const grey = isGrey && isOpaque ? greyLayout(colours, facts.block) : undefined;
  const bits = bitsFor(colours.length);
  if (bands < 3) return [grey ?? direct];
  // Grey with as many bits needs no bytes for a palette.
  if (bits >= (grey?.depth ?? (isGrey && isOpaque ? 8 : 9))) return [grey ?? direct];
  return [paletteLayout(colours, bits, format, { block: facts.block, isOpaque }), grey ?? direct];
}

/** For pixels that are indices of a palette. @param palette RGBA; the colours that are not opaque come first */
export function indexLayout(palette: Uint8Array): PngLayout {
  const colours = new Uint32Array(palette.slice().buffer);
  const entries = Array.from(colours, (colour, index) => entryOf(colour, index, 4));
  return {
    ...paletteOf(
      entries,
      entries.every(({ alpha }) => alpha === 255),
    ),
    depth: bitsFor(entries.length),
    isUnordered: true,
    rows: { picked: [0] },
  };
}

const bitsFor = (count: number): 1 | 2 | 4 | 8 => (count <= 2 ? 1 : count <= 4 ? 2 : count <= 16 ? 4 : 8);

/** Returns grey of fewer than 8 bits, if that can hold every level. */
function greyLayout(colours: Uint32Array, block: Address): PngLayout | undefined {
  for (const depth of [1, 2, 4] as const) {
    const step = 255 / (2 ** depth - 1);
    if (!colours.every((colour) => (colour & 255) % step === 0)) continue;
    const samples = Uint8Array.from(colours, (colour) => (colour & 255) / step);
    return { colourType: 0, depth, rows: { samples, block } };
  }
  return undefined;
}

interface Entry {
  /** In order of appearance. */
  index: number;
  red: number;
  green: number;
  blue: number;
  alpha: number;
}

function entryOf(colour: number, index: number, bands: number): Entry {
  const byte = (band: number) => (colour >>> (8 * band)) & 255;
  return { index, red: byte(0), green: byte(1), blue: byte(2), alpha: bands === 4 ? byte(3) : 255 };
}

/** ITU-R BT.601. */
const lumaOf = ({ red, green, blue }: Entry): number => 299 * red + 587 * green + 114 * blue;

function paletteLayout(
  colours: Uint32Array,
  depth: 1 | 2 | 4 | 8,
  { bands }: PixelFormat,
  { block, isOpaque }: { block: Address; isOpaque: boolean },
): PngLayout {
  // Similar neighbours are good for filters.
  const entries = Array.from(colours, (colour, index) => entryOf(colour, index, bands)).sort(
    (one, other) => one.alpha - other.alpha || lumaOf(one) - lumaOf(other),
  );
  const samples = new Uint8Array(colours.length);
  for (const [place, { index }] of entries.entries()) samples[index] = place;
  return { ...paletteOf(entries, isOpaque), depth, rows: { samples, block } };
}

/** @param entries those that are not opaque first, because tRNS ends with the last of them */
function paletteOf(
  entries: readonly Entry[],
  isOpaque: boolean,
): Pick<PngLayout, 'colourType' | 'palette' | 'transparency'> {
  const translucent = entries.filter(({ alpha }) => alpha < 255).length;
  // Readers see alpha only if tRNS has an entry, which may be opaque.
  const transparency = Uint8Array.from(
    isOpaque ? [] : entries.slice(0, Math.max(1, translucent)),
    ({ alpha }) => alpha,
  );
  return {
    colourType: 3,
    palette: Uint8Array.from(entries.flatMap(({ red, green, blue }) => [red, green, blue])),
    ...(transparency.length > 0 ? { transparency } : {}),
  };
}
