/** Which of the ways to write pixels that PNG has (third edition, section 11.2.1) holds all that a picture has, in the fewest bits. */
import type { Address, Kernels } from '../kernels/kernels.ts';

/** Pixels as libvips gives them: grey or RGB, with alpha or without, interleaved; samples of 16 bits with the lower byte first. */
export interface PixelFormat {
  bands: 1 | 2 | 3 | 4;
  depth: 8 | 16;
}

export interface PixelFacts {
  isOpaque: boolean;
  /** Red, green and blue of each pixel are the same. */
  isGrey: boolean;
  /** Both bytes of each sample of 16 bits are the same: it is one of 8 bits. */
  isShallow: boolean;
  /** In the order in which they come, the first band lowest; undefined for more than 256, and for samples that are not of 8 bits. */
  colours: Uint32Array | undefined;
  /** Where they are in the memory of the kernels. */
  block: Address;
}

const MAX_COLOURS = 256;
const COLOURS_AT = 4;

export const sampleBytesOf = ({ depth }: PixelFormat): number => depth / 8;
export const pixelBytesOf = (format: PixelFormat): number => format.bands * sampleBytesOf(format);

/** Looks at pixels that are given in parts, until there is nothing more to learn. */
export class PixelObserver {
  readonly #kernels: Kernels;
  readonly #format: PixelFormat;
  readonly #block: Address;
  #isDone = false;

  constructor(kernels: Kernels, format: PixelFormat) {
    this.#kernels = kernels;
    this.#format = format;
    this.#block = kernels.reserve(kernels.areas.facts);
    kernels.run.startObserving(this.#block, sampleBytesOf(format));
  }

  /** @param data whole pixels */
  observe(data: Uint8Array): void {
    if (this.#isDone) return;
    const kernels = this.#kernels;
    const { bands } = this.#format;
    const pixels = kernels.place(data);
    const count = data.length / pixelBytesOf(this.#format);
    this.#isDone = !kernels.run.observePixels(this.#block, pixels, count, bands, sampleBytesOf(this.#format));
    kernels.free(pixels);
  }

  get facts(): PixelFacts {
    const numbers = this.#kernels.words(this.#block, COLOURS_AT + MAX_COLOURS);
    const [opaque, grey, shallow, count] = numbers;
    const isShallow = this.#format.depth === 16 && shallow === 1;
    const hasColours = count! <= MAX_COLOURS && (this.#format.depth === 8 || isShallow);
    return {
      isOpaque: opaque === 1,
      isGrey: grey === 1,
      isShallow,
      colours: hasColours ? numbers.slice(COLOURS_AT, COLOURS_AT + count!) : undefined,
      block: this.#block,
    };
  }
}

/** How samples of a row come from those of libvips. */
export type Rows =
  /** Some bytes of each pixel, by where they are in it; all of them in their order is what it was. */
  | { picked: readonly number[] }
  /** A sample for each colour, by the number of that colour. */
  | { numbers: Uint8Array; facts: Address };

export interface PngLayout {
  colourType: 0 | 2 | 3 | 4 | 6;
  depth: 1 | 2 | 4 | 8 | 16;
  /** RGB. */
  palette?: Uint8Array;
  /** Alpha of the first colours of the palette. */
  transparency?: Uint8Array;
  rows: Rows;
}

/** The whole of every pixel, in the order of the bytes that PNG has. */
export function plainLayout(format: PixelFormat): PngLayout {
  return directLayout(format, { isGrey: format.bands < 3, isOpaque: format.bands % 2 === 1, depth: format.depth });
}

function directLayout(
  { bands, depth: stored }: PixelFormat,
  { isGrey, isOpaque, depth }: { isGrey: boolean; isOpaque: boolean; depth: 8 | 16 },
): PngLayout {
  const kept = [0, ...(isGrey ? [] : [1, 2]), ...(isOpaque ? [] : [bands - 1])];
  const picked = kept.flatMap((band) => (stored === 8 ? [band] : depth === 8 ? [2 * band] : [2 * band + 1, 2 * band]));
  return { colourType: isGrey ? (isOpaque ? 0 : 4) : isOpaque ? 2 : 6, depth, rows: { picked } };
}

export interface Kept {
  /** Colour stays colour also where all of it is grey, as its profile wants. Grey always stays grey. Default: false. */
  colour?: boolean;
  /** There is alpha also where all of it is opaque. Default: false. */
  alpha?: boolean;
}

/** The smallest one, and then, where the palette itself may be too much, that without a palette. */
export function layoutsOf(
  facts: PixelFacts,
  format: PixelFormat,
  { colour = false, alpha = false }: Kept = {},
): [PngLayout, ...PngLayout[]] {
  const { bands, depth } = format;
  const isGrey = bands < 3 || (facts.isGrey && !colour);
  const isOpaque = bands % 2 === 1 || (facts.isOpaque && !alpha);
  const direct = directLayout(format, { isGrey, isOpaque, depth: depth === 16 && !facts.isShallow ? 16 : 8 });
  const { colours } = facts;
  if (!colours) return [direct];
  const grey = isGrey && isOpaque ? greyLayout(colours, facts.block) : undefined;
  const bits = bitsFor(colours.length);
  if (bands < 3) return [grey ?? direct];
  // A palette takes bytes of its own, and is no better than grey of as many bits.
  if (bits >= (grey?.depth ?? (isGrey && isOpaque ? 8 : 9))) return [grey ?? direct];
  return [paletteLayout(colours, bits, format, { facts: facts.block, isOpaque }), grey ?? direct];
}

const bitsFor = (count: number): 1 | 2 | 4 | 8 => (count <= 2 ? 1 : count <= 4 ? 2 : count <= 16 ? 4 : 8);

/** Grey of fewer than 8 bits, where these hold every level. */
function greyLayout(colours: Uint32Array, facts: Address): PngLayout | undefined {
  for (const depth of [1, 2, 4] as const) {
    const step = 255 / (2 ** depth - 1);
    if (!colours.every((colour) => (colour & 255) % step === 0)) continue;
    const numbers = Uint8Array.from(colours, (colour) => (colour & 255) / step);
    return { colourType: 0, depth, rows: { numbers, facts } };
  }
  return undefined;
}

interface Entry {
  /** The number of the colour. */
  number: number;
  red: number;
  green: number;
  blue: number;
  alpha: number;
}

function entryOf(colour: number, number: number, bands: number): Entry {
  const byte = (index: number) => (colour >>> (8 * index)) & 255;
  const isGrey = bands < 3;
  return {
    number,
    red: byte(0),
    green: byte(isGrey ? 0 : 1),
    blue: byte(isGrey ? 0 : 2),
    alpha: bands % 2 === 0 ? byte(bands - 1) : 255,
  };
}

/** Rec. 601, as good as any for an order. */
const lumaOf = ({ red, green, blue }: Entry): number => 299 * red + 587 * green + 114 * blue;

function paletteLayout(
  colours: Uint32Array,
  depth: 1 | 2 | 4 | 8,
  { bands }: PixelFormat,
  { facts, isOpaque }: { facts: Address; isOpaque: boolean },
): PngLayout {
  // Opaque colours last: their alpha need not be written. Neighbours alike, for the filters.
  const entries = Array.from(colours, (colour, number) => entryOf(colour, number, bands)).sort(
    (one, other) => one.alpha - other.alpha || lumaOf(one) - lumaOf(other),
  );
  const numbers = new Uint8Array(colours.length);
  for (const [place, { number }] of entries.entries()) numbers[number] = place;
  const shown = entries.filter(({ alpha }) => alpha < 255);
  // One suffices for there to be alpha.
  const transparency = Uint8Array.from(
    isOpaque ? [] : [...shown, ...entries].slice(0, Math.max(1, shown.length)),
    ({ alpha }) => alpha,
  );
  return {
    colourType: 3,
    depth,
    palette: Uint8Array.from(entries.flatMap(({ red, green, blue }) => [red, green, blue])),
    ...(transparency.length > 0 ? { transparency } : {}),
    rows: { numbers, facts },
  };
}
