/**
 * Avoids memory blocks of more than 12 and up to 15 MiB for pixels. The allocator of wasm-vips (mimalloc) never reuses
 * freed blocks of these sizes: each allocation takes new memory until there is none left. An image of 5 megapixels made
 * a worker grow by 140 MB. The sizes were found by repeatedly allocating images of one size (wasm-vips 0.0.19).
 */
import type Vips from 'wasm-vips';

const MIN_BYTES = 12 * 2 ** 20;
const MAX_BYTES = 15 * 2 ** 20;

type Image = Vips.Image;
/** One element per sample. */
type Samples = Uint8Array | Uint16Array | Float32Array;
type NewFromMemory = (
  data: Samples,
  ...layout: [width: number, height: number, bands: number, format: Image['format']]
) => Image;

const BYTES_PER_SAMPLE: Readonly<Record<string, number>> = {
  uchar: 1,
  char: 1,
  ushort: 2,
  short: 2,
  uint: 4,
  int: 4,
  float: 4,
  complex: 8,
  double: 8,
  dpcomplex: 16,
};

/** Returns the bytes per sample of a libvips format. */
export const bytesPerSample = (format: Image['format']): number => BYTES_PER_SAMPLE[String(format)] ?? 1;

/**
 * Returns how many rows make a block of more than 15 MiB, or undefined if `height` rows do not need a block of 12 to 15
 * MiB.
 */
function paddedHeight(rowBytes: number, height: number): number | undefined {
  const bytes = rowBytes * height;
  return bytes > MIN_BYTES && bytes <= MAX_BYTES ? Math.floor(MAX_BYTES / rowBytes) + 1 : undefined;
}

const paddedHeightOf = ({ width, height, bands, format }: Image): number | undefined =>
  paddedHeight(width * bands * bytesPerSample(format), height);

/** Changes every function that allocates pixels: it adds rows where needed, and removes them again. */
export function avoidUnreusableBlocks({ Image }: typeof Vips): void {
  const { prototype } = Image;
  const newFromMemory = Image.newFromMemory as unknown as NewFromMemory;
  const { copyMemory, writeToMemory } = prototype;

  const fromMemory: NewFromMemory = (data, width, height, ...layout) => {
    const padded = paddedHeight(data.byteLength / height, height);
    if (padded === undefined) return newFromMemory(data, width, height, ...layout);
    const whole = new (data.constructor as new (length: number) => Samples)((data.length / height) * padded);
    whole.set(data);
    return newFromMemory(whole, width, padded, ...layout).crop(0, 0, width, height);
  };
  // Embind stores the overloads of a function as a property of it.
  Object.assign(Image, { newFromMemory: Object.assign(fromMemory, newFromMemory) });

  prototype.copyMemory = function (this: Image) {
    const padded = paddedHeightOf(this);
    if (padded === undefined) return copyMemory.call(this);
    const { width, height } = this;
    return copyMemory.call(this.embed(0, 0, width, padded)).crop(0, 0, width, height);
  };

  prototype.writeToMemory = function (this: Image) {
    const padded = paddedHeightOf(this);
    if (padded === undefined) return writeToMemory.call(this);
    const { width, height, bands } = this;
    const samples = writeToMemory.call(this.embed(0, 0, width, padded)) as Samples;
    return samples.slice(0, width * height * bands);
  };
}
