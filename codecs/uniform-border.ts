/** Finds the uniform border of an image: the pixels around its content that have the colour of its corners. */
import { hasAlpha, sampleMax } from './colour.ts';
import { type DecodedImage, isSequential } from './decoded-image.ts';
import { type Address, type Kernels, startKernels } from './kernels/kernels.ts';
import type { Modules } from './modules.ts';
import { type PixelFormat, pixelBytesOf, pixelFormatOf, sampleBytesOf } from './pixel-facts.ts';
import { bytesOfPixels, readRows, rowBytesOf } from './pixel-rows.ts';
import type { Rectangle } from './rectangle.ts';
import { RowStrips } from './row-strips.ts';
import type { Image, VipsApi } from './vips.ts';

/** The samples of one pixel. */
type Pixel = readonly number[];
/** Top left, top right, bottom left and bottom right. */
type Corners = readonly [Pixel, Pixel, Pixel, Pixel];

/** Bytes that are scanned together. Kept small because the memory of the kernels never shrinks. */
const STRIP_BYTES = 512 * 1024;
/** Rows that are scanned together at the top and the bottom, where a border may be narrow. */
const STRIP_ROWS = 64;
/** Bytes of a block of ranges, and of a rectangle. */
const BLOCK_BYTES = 48;
const RECTANGLE_BYTES = 16;
const MAX_NUMBER = 2 ** 31 - 1;

/**
 * The smallest rectangle that has all content of all frames. The border of a frame has the colour that most of its
 * corners share; where two colours are as frequent, that of the first of top left, top right, bottom left. A pixel
 * belongs to it if no sample differs by more than the threshold. Clear pixels always do, whatever their colour.
 *
 * @param open returns the image; called again where the border of a frame is only at its bottom
 * @param threshold in levels of 255, also of 16-bit samples
 * @returns null if no frame has content
 */
export async function findContent(
  { vips, modules }: { vips: VipsApi; modules: Modules },
  open: () => Promise<DecodedImage>,
  threshold: number,
): Promise<Rectangle | null> {
  const { frames } = await open();
  const found: (Rectangle | null)[] = [];
  const again: [index: number, border: Pixel][] = [];
  for (const [index, frame] of frames.entries()) {
    const scan = new BorderScan(startKernels(modules), frame, threshold);
    if (!isSequential(frame) && frame.height * rowBytesOf(frame) > STRIP_BYTES) {
      found.push(scan.contentInMemory());
      continue;
    }
    const { content, missed } = scan.contentOfRows(vips);
    if (missed) again.push([index, missed]);
    else found.push(content);
  }
  const reopened = again.length > 0 ? await open() : undefined;
  for (const [index, border] of again) {
    const frame = reopened!.frames[index]!;
    found.push(new BorderScan(startKernels(modules), frame, threshold).contentOfRows(vips, border).content);
  }
  return found.reduce(union, null);
}

function union(one: Rectangle | null, other: Rectangle | null): Rectangle | null {
  if (!one || !other) return one ?? other;
  return {
    left: Math.min(one.left, other.left),
    top: Math.min(one.top, other.top),
    right: Math.max(one.right, other.right),
    bottom: Math.max(one.bottom, other.bottom),
  };
}

/** The content of one colour of the border, found so far. */
interface Search {
  border: Pixel;
  ranges: Address;
  bounds: Address;
}

class BorderScan {
  readonly #kernels: Kernels;
  readonly #image: Image;
  readonly #format: PixelFormat;
  readonly #hasAlpha: boolean;
  /** In levels of the samples. */
  readonly #threshold: number;

  constructor(kernels: Kernels, image: Image, threshold: number) {
    this.#kernels = kernels;
    this.#image = image;
    this.#format = pixelFormatOf(image);
    this.#hasAlpha = hasAlpha(image);
    this.#threshold = (threshold * sampleMax(image)) / 255;
  }

  /**
   * Reads rows from the top and from the bottom up to the content, and between them only what is beside it. Small images
   * are read faster as a whole.
   */
  contentInMemory(): Rectangle | null {
    const { width, height } = this.#image;
    const border = this.#borderOf(this.#corners());
    if (!border) return { left: 0, top: 0, right: width, bottom: height };
    return this.#searching(() => {
      const search = this.#search(border);
      let top = 0;
      for (let next = 0; top < height && !this.#boundsOf(search); top = next) {
        next = Math.min(height, top + this.#stripRows(width));
        this.#scanPart(search, { left: 0, top, right: width, bottom: next });
      }
      const upper = this.#boundsOf(search);
      if (!upper) return null;
      let bottom = height;
      for (let next = height; bottom > top && this.#boundsOf(search)!.bottom === upper.bottom; bottom = next) {
        next = Math.max(top, bottom - this.#stripRows(width));
        this.#scanPart(search, { left: 0, top: next, right: width, bottom });
      }
      this.#scanSides(search, top, bottom);
      return this.#boundsOf(search);
    });
  }

  /**
   * Reads each row once, from the top.
   * @param known the colour of the border. Default: that of the corners, if it is that of one at the top
   */
  contentOfRows(vips: VipsApi, known?: Pixel): { content: Rectangle | null; missed?: Pixel } {
    const { width, height } = this.#image;
    const pixelBytes = pixelBytesOf(this.#format);
    const pitch = rowBytesOf(this.#image);
    const rows = Math.min(height, this.#rowsOf(width));
    return this.#searching(() => {
      const kernels = this.#kernels;
      const strip = kernels.reserve(rows * pitch);
      const strips = new RowStrips((at, count) => kernels.bytes(at, count), strip, { pitch, height, rows });
      const searches: Search[] = known ? [this.#search(known)] : [];
      const ends = (row: Address): [Pixel, Pixel] => [this.#pixelAt(row), this.#pixelAt(row + pitch - pixelBytes)];
      let first: [Pixel, Pixel] | undefined;
      let last: [Pixel, Pixel] = [[], []];
      let y = 0;
      const take = (count: number) => {
        if (!first) {
          first = ends(strip);
          if (!known) searches.push(...first.map((corner) => this.#search(corner)));
        }
        last = ends(strip + (count - 1) * pitch);
        for (const search of searches) this.#widen(search, strip, 0, y, width, count);
        y += count;
      };
      readRows(vips, this.#image, (data) => strips.push(data, take));
      const border = known ?? this.#borderOf([...first!, ...last]);
      if (!border) return { content: { left: 0, top: 0, right: width, bottom: height } };
      const search = searches.find((each) => each.border === border);
      return search ? { content: this.#boundsOf(search) } : { content: null, missed: border };
    });
  }

  /** Frees the memory that `work` reserves. */
  #searching<R>(work: () => R): R {
    const start = this.#kernels.end;
    try {
      return work();
    } finally {
      this.#kernels.free(start);
    }
  }

  #corners(): Corners {
    const { width, height } = this.#image;
    const at = (x: number, y: number): Pixel => this.#image.getpoint(x, y);
    return [at(0, 0), at(width - 1, 0), at(0, height - 1), at(width - 1, height - 1)];
  }

  #pixelAt(address: Address): Pixel {
    const bytes = this.#kernels.bytes(address, pixelBytesOf(this.#format)).slice();
    return Array.from(this.#format.depth === 8 ? bytes : new Uint16Array(bytes.buffer));
  }

  /** The corner that agrees with most others; undefined if none does, because then no side has a uniform border. */
  #borderOf(corners: Corners): Pixel | undefined {
    const counts = corners.map((one) => corners.filter((other) => this.#agree(one, other)).length);
    const most = Math.max(...counts);
    return most > 1 ? corners[counts.indexOf(most)] : undefined;
  }

  #agree(one: Pixel, other: Pixel): boolean {
    if (this.#isClear(one) && this.#isClear(other)) return true;
    return one.every((sample, band) => Math.abs(sample - other[band]!) <= this.#threshold);
  }

  #isClear(pixel: Pixel): boolean {
    return this.#hasAlpha && pixel.at(-1)! <= this.#threshold;
  }

  #search(border: Pixel): Search {
    const kernels = this.#kernels;
    const ranges = kernels.reserve(kernels.areas.ranges);
    for (const [at, samples] of this.#rangesOf(border).entries())
      kernels.bytes(ranges + at * BLOCK_BYTES, BLOCK_BYTES).set(this.#block(samples));
    const bounds = kernels.reserve(RECTANGLE_BYTES);
    kernels.words(bounds, 4).set([MAX_NUMBER, MAX_NUMBER, 0, 0]);
    return { border, ranges, bounds };
  }

  /** The lowest and the highest samples of the border. */
  #rangesOf(border: Pixel): [Pixel, Pixel] {
    const max = this.#format.depth === 8 ? 255 : 65_535;
    const threshold = this.#threshold;
    if (this.#isClear(border)) {
      // The colour of clear pixels is not seen.
      const colours = border.slice(0, -1);
      return [border.map(() => 0), [...colours.map(() => max), Math.floor(threshold)]];
    }
    return [
      border.map((sample) => Math.max(0, Math.ceil(sample - threshold))),
      border.map((sample) => Math.min(max, Math.floor(sample + threshold))),
    ];
  }

  /** Repeats the samples of a pixel. */
  #block(samples: Pixel): Uint8Array {
    const count = BLOCK_BYTES / sampleBytesOf(this.#format);
    const repeated = Array.from({ length: count }, (_, at) => samples[at % samples.length]!);
    return this.#format.depth === 8 ? Uint8Array.from(repeated) : new Uint8Array(Uint16Array.from(repeated).buffer);
  }

  /** Scans the rows from `top` to `bottom`, but only what is beside the content that is known. */
  #scanSides(search: Search, top: number, bottom: number): void {
    const { width } = this.#image;
    for (const isLeft of [true, false]) {
      for (let y = top, next = top; y < bottom; y = next) {
        const known = this.#boundsOf(search)!;
        const [left, right] = isLeft ? [0, known.left] : [known.right, width];
        if (left === right) break;
        next = Math.min(bottom, y + this.#rowsOf(right - left));
        this.#scanPart(search, { left, top: y, right, bottom: next });
      }
    }
  }

  /** Scans a part of an image in memory. */
  #scanPart(search: Search, { left, top, right, bottom }: Rectangle): void {
    const kernels = this.#kernels;
    const start = kernels.end;
    const part = this.#image.crop(left, top, right - left, bottom - top);
    this.#widen(search, kernels.place(bytesOfPixels(part)), left, top, right - left, bottom - top);
    kernels.free(start);
  }

  /** How many rows of this width are scanned together. */
  #rowsOf(width: number): number {
    return Math.max(1, Math.floor(STRIP_BYTES / (width * pixelBytesOf(this.#format))));
  }

  #stripRows(width: number): number {
    return Math.min(STRIP_ROWS, this.#rowsOf(width));
  }

  #widen({ bounds, ranges }: Search, rows: Address, x: number, y: number, width: number, count: number): void {
    const { bands } = this.#format;
    const maxClear = this.#hasAlpha ? Math.floor(this.#threshold) : -1;
    const sampleBytes = sampleBytesOf(this.#format);
    this.#kernels.run.widenBounds(bounds, rows, x, y, width, count, bands, sampleBytes, ranges, maxClear);
  }

  #boundsOf({ bounds }: Search): Rectangle | null {
    const [left, top, right, bottom] = this.#kernels.words(bounds, 4) as unknown as [number, number, number, number];
    return right === 0 ? null : { left, top, right, bottom };
  }
}
