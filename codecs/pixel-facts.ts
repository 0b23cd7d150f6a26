/**
 * Finds what the pixels of an image have in common: whether all are opaque or grey, and their colours if there are few.
 */
import { type Address, type Kernels, startKernels } from './kernels/kernels.ts';
import type { Modules } from './modules.ts';
import type { Image } from './vips.ts';

/** Interleaved pixels as libvips returns them: grey or RGB, with or without alpha. 16-bit samples are little-endian. */
export interface PixelFormat {
  bands: 1 | 2 | 3 | 4;
  depth: 8 | 16;
}

export interface PixelFacts {
  isOpaque: boolean;
  /** Red, green and blue are equal in every pixel. */
  isGrey: boolean;
  /** Both bytes of every 16-bit sample are equal, so 8 bits can hold it. */
  isShallow: boolean;
  /**
   * In order of appearance, the first band in the lowest byte. Undefined if there are more than 256 colours, or if 8
   * bits cannot hold them.
   */
  colours: Uint32Array | undefined;
  /** Address of the colours in the memory of the kernels. */
  block: Address;
}

const MAX_COLOURS = 256;
/** Words in the block before the colours. */
const COLOURS_AT = 4;
/** Bytes that are observed together. Kept small because the memory of the kernels never shrinks. */
const PART_BYTES = 512 * 1024;

export const sampleBytesOf = ({ depth }: PixelFormat): number => depth / 8;
export const pixelBytesOf = (format: PixelFormat): number => format.bands * sampleBytesOf(format);

/**
 * Returns the format of an image's pixels.
 * @param image with 8-bit or 16-bit samples and at most four bands
 */
export const pixelFormatOf = ({ bands, format }: Image): PixelFormat => ({
  bands: bands as PixelFormat['bands'],
  depth: String(format) === 'uchar' ? 8 : 16,
});

/** Observes pixels that arrive in parts, until there is nothing more to learn. */
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
    const kernels = this.#kernels;
    const pixelBytes = pixelBytesOf(this.#format);
    const partBytes = PART_BYTES - (PART_BYTES % pixelBytes);
    for (let from = 0; from < data.length && !this.#isDone; from += partBytes) {
      const part = data.subarray(from, from + partBytes);
      const pixels = kernels.place(part);
      const { bands } = this.#format;
      const count = part.length / pixelBytes;
      this.#isDone = !kernels.run.observePixels(this.#block, pixels, count, bands, sampleBytesOf(this.#format));
      kernels.free(pixels);
    }
  }

  get facts(): PixelFacts {
    const words = this.#kernels.words(this.#block, COLOURS_AT + MAX_COLOURS);
    const [opaque, grey, shallow, count] = words;
    const isShallow = this.#format.depth === 16 && shallow === 1;
    const hasColours = count! <= MAX_COLOURS && (this.#format.depth === 8 || isShallow);
    return {
      isOpaque: opaque === 1,
      isGrey: grey === 1,
      isShallow,
      colours: hasColours ? words.slice(COLOURS_AT, COLOURS_AT + count!) : undefined,
      block: this.#block,
    };
  }
}

/** Rows that are computed together, so that the whole image is never copied. */
const STRIP_ROWS = 64;

/** Whether an image has at most 256 colours of 8 bits. Stops at the first strip that has more. */
export function hasFewColours(modules: Modules, image: Image): boolean {
  const format = pixelFormatOf(image);
  if (format.depth !== 8) return false;
  const kernels = startKernels(modules);
  const start = kernels.end;
  const observer = new PixelObserver(kernels, format);
  try {
    for (let top = 0; top < image.height && observer.facts.colours; top += STRIP_ROWS) {
      const strip = image.crop(0, top, image.width, Math.min(STRIP_ROWS, image.height - top));
      observer.observe(strip.writeToMemory() as Uint8Array);
    }
    return observer.facts.colours !== undefined;
  } finally {
    kernels.free(start);
  }
}

/** Whether two pixels of interleaved samples, at offsets `one` and `other`, are equal. */
export function isSamePixel(samples: ArrayLike<number>, one: number, other: number, bands: number): boolean {
  for (let band = 0; band < bands; band += 1) if (samples[one + band] !== samples[other + band]) return false;
  return true;
}

/** An image is mostly flat if at least this share of its pixels have the colour of their left neighbour. */
const MIN_FLAT_SHARE = 0.4;
const MAX_FLAT_ROWS = 64;

/** Distance of the rows that are looked at: of fewer than twice `MAX_FLAT_ROWS` rows all are. */
const flatRowStep = (height: number): number => Math.max(1, Math.floor(height / MAX_FLAT_ROWS));

/**
 * Whether most of an image is runs of one colour, as in drawings, screenshots, print and cut-outs.
 * @param rowAt returns the interleaved samples of a row; called for some of the rows, from top to bottom
 */
export function hasFlatRows(
  { width, height, bands }: { width: number; height: number; bands: number },
  rowAt: (y: number) => ArrayLike<number>,
): boolean {
  const step = flatRowStep(height);
  let equal = 0;
  let seen = 0;
  for (let y = step >> 1; y < height; y += step) {
    const row = rowAt(y);
    for (let at = bands; at < width * bands; at += bands) if (isSamePixel(row, at, at - bands, bands)) equal += 1;
    seen += width - 1;
  }
  return equal >= MIN_FLAT_SHARE * Math.max(1, seen);
}

/** The same for an image whose rows can be read several times. */
export function isMostlyFlat(image: Image): boolean {
  const { width, height, bands } = image;
  const step = flatRowStep(height);
  const first = step >> 1;
  // Reading the rows one by one takes 0.1 ms for each.
  const rows = step === 1 ? image : image.crop(0, first, width, height - first).subsample(1, step);
  const samples = rows.writeToMemory();
  const rowLength = width * bands;
  return hasFlatRows({ width, height: rows.height, bands }, (y) =>
    samples.subarray(y * rowLength, (y + 1) * rowLength),
  );
}
