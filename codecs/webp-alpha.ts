/** Encodes the alpha channel of a lossy WebP file (RFC 9649, section 2.7.1.2). */
import type { Size } from '../base/geometry.ts';
import { startKernels } from './kernels/kernels.ts';
import type { Modules } from './modules.ts';
import type { VipsApi } from './vips.ts';
import type { WebpAlpha } from './webp/encode.ts';

/**
 * libwebp's effort and quality for alpha. Its own settings (effort 4, quality 32) take a seventh more bytes and time for
 * the cut-out of the benchmark.
 */
const EFFORT = 2;
const QUALITY = 60;
const OPAQUE = 255;
/** Samples from the middle of the image that decide about the filter: the memory of the kernels never shrinks. */
const MAX_ESTIMATED_BYTES = 512 * 1024;

/**
 * Encodes the alpha channel.
 * @param alpha a byte for each pixel
 * @returns undefined if all pixels are opaque
 */
export function encodeAlpha(
  { vips, modules }: { vips: VipsApi; modules: Modules },
  size: Size,
  alpha: Uint8Array,
): WebpAlpha | undefined {
  if (alpha.every((value) => value === OPAQUE)) return undefined;
  const filtered = filterHorizontally(alpha, size);
  // Soft edges are smaller filtered: the cut-out of the benchmark takes a quarter fewer bytes and a third of the time.
  // Text and hard edges are smaller as they are.
  const isFiltered = estimateBytes(modules, filtered, size) < estimateBytes(modules, alpha, size);
  return { image: encodeGreen(vips, size, isFiltered ? filtered : alpha), filter: isFiltered ? 'horizontal' : 'none' };
}

/** Returns the differences from the left sample; in the first column from the sample above. */
function filterHorizontally(alpha: Uint8Array, { width }: Size): Uint8Array {
  const filtered = Uint8Array.from(alpha);
  for (let at = 1; at < alpha.length; at += 1) filtered[at] = alpha[at]! - alpha[at - 1]!;
  for (let at = width; at < alpha.length; at += width) filtered[at] = alpha[at]! - alpha[at - width]!;
  return filtered;
}

function estimateBytes(modules: Modules, samples: Uint8Array, { width, height }: Size): number {
  const rows = Math.min(height, Math.max(1, Math.floor(MAX_ESTIMATED_BYTES / width)));
  const first = (height - rows) >> 1;
  const kernels = startKernels(modules);
  const start = kernels.end;
  const at = kernels.place(samples.subarray(first * width, (first + rows) * width));
  const bytes = kernels.run.estimateDeflated(at, at + rows * width, kernels.reserve(kernels.areas.estimate));
  kernels.free(start);
  return bytes;
}

/** Returns a lossless file with these samples as green. */
function encodeGreen(vips: VipsApi, { width, height }: Size, samples: Uint8Array): Uint8Array {
  const green = vips.Image.newFromMemory(samples, width, height, 1, vips.BandFormat.uchar);
  const nothing = vips.Image.black(width, height);
  const image = nothing.bandjoin([green, nothing]).copy({ interpretation: 'srgb' });
  return image.webpsaveBuffer({ lossless: true, Q: QUALITY, effort: EFFORT, keep: 'none' });
}
