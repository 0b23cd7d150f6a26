import { freeBuffer } from '../base/free-buffer.ts';
import { toRgb } from './colour.ts';
import { isSequential, rereadable } from './decoded-image.ts';
import { imageTooLarge } from './errors.ts';
import type { Modules } from './modules.ts';
import { hasFewColours, isMostlyFlat } from './pixel-facts.ts';
import { readRows, wholePixels } from './pixel-rows.ts';
import type { Image, VipsApi } from './vips.ts';
import { withWebpCodec } from './webp/codec.ts';
import { WebpEncoder, type WebpSize } from './webp/encode.ts';
import { MAX_OWN_WEBP_PIXELS } from './webp/limits.ts';
import { encodeAlpha } from './webp-alpha.ts';

export interface WebpSettings {
  /** 1 to 100. */
  quality: number;
  /** Convert to 4:2:0 with less colour bleeding at edges. Takes about a fifth more time. */
  sharpChroma: boolean;
}

/** Encodes a still image lossy. WebP always halves the chroma resolution. */
export function encodeWebp(
  { vips, modules }: { vips: VipsApi; modules: Modules },
  image: Image,
  settings: WebpSettings,
): Uint8Array {
  const own = settings.sharpChroma ? undefined : encodeOwn(vips, modules, image, settings.quality);
  if (own) return own;
  const { quality, sharpChroma } = settings;
  return image.webpsaveBuffer({ Q: quality, effort: 4, smart_subsample: sharpChroma, keep: 'none' });
}

/**
 * Encodes with our own encoder.
 * @returns undefined for images that it does not support: samples other than bytes, and very large images
 */
function encodeOwn(vips: VipsApi, modules: Modules, image: Image, quality: number): Uint8Array | undefined {
  if (image.width * image.height > MAX_OWN_WEBP_PIXELS || String(image.format) !== 'uchar') return undefined;
  const rgb = toRgb(image);
  if (rgb.bands !== 3 && rgb.bands !== 4) return undefined;
  const size: WebpSize = { width: rgb.width, height: rgb.height, bands: rgb.bands };
  return withWebpCodec(modules, (codec) => {
    const encoder = WebpEncoder.start(codec, size, quality);
    if (!encoder) return undefined;
    const data = wholePixels(rgb);
    if (data) {
      encoder.push(data);
      freeBuffer(data.buffer);
    } else readRows(vips, rgb, (rows) => encoder.push(rows));
    const alpha = size.bands === 4 ? encodeAlpha({ vips, modules }, size, encoder.alpha()) : undefined;
    const file = encoder.finish(alpha);
    if (!file) throw imageTooLarge('what the memory of the encoder holds', `${size.width} x ${size.height} pixels`);
    return file;
  });
}

/**
 * Encodes an animation. Each frame is lossy or lossless, whichever libwebp estimates to be smaller.
 * @param column the frames, stacked vertically, with `page-height`
 */
export function encodeMixedWebp(column: Image, { quality, sharpChroma }: WebpSettings): Uint8Array {
  return column.webpsaveBuffer({
    // With `mixed` this does not force lossless coding, but it makes libvips pass RGB to libwebp. Otherwise libvips
    // passes subsampled colour, which libwebp converts to RGB to compare frames and subsamples again: that loses 1 dB,
    // and no frame of few colours stays exact.
    lossless: true,
    mixed: true,
    Q: quality,
    // Effort 4 takes as many bytes, and up to a tenth more time; effort 2 takes 2 to 6% more bytes.
    effort: 3,
    smart_subsample: sharpChroma,
    keep: 'none',
  });
}

/**
 * Encodes the frames of an animation losslessly.
 * @param column the frames, stacked vertically, with `page-height`
 * @param exact keeps the colour of transparent pixels too
 */
export function encodeLosslessWebpAnimation(
  modules: Modules,
  column: Image,
  frames: number,
  exact: boolean,
): Uint8Array {
  const isReadable = !isSequential(column);
  return column.webpsaveBuffer({
    lossless: true,
    // Without transparent pixels `exact` only restricts libwebp, which makes unchanged areas transparent: up to 8% more
    // bytes.
    exact: exact && !(isReadable && isOpaque(column)),
    Q: 75,
    // For frames with a palette, as from GIF, effort 4 takes 2 to 5% fewer bytes for a sixth more time; for others 5%
    // for 2.5 times the time.
    effort: isReadable && hasPalette(modules, column, frames) ? 4 : 2,
    keep: 'none',
  });
}

const isOpaque = (column: Image): boolean => !column.hasAlpha() || column.extractBand(column.bands - 1).min() === 255;

/** Whether the frame in the middle has at most 256 colours. */
function hasPalette(modules: Modules, column: Image, frames: number): boolean {
  const height = column.height / frames;
  return hasFewColours(modules, column.crop(0, Math.floor(frames / 2) * height, column.width, height));
}

/** Images of up to this many pixels are encoded with libwebp's highest effort: 0.1 s. */
const MAX_TINY_PIXELS = 4096;
/** Images of up to this many pixels are encoded with more effort: 1.5 s for a flat image, 2.5 s for a photograph. */
const MAX_SLOW_PIXELS = 1_000_000;
/** Flat images of up to this many pixels are encoded in another way than photographs. */
const MAX_FLAT_PIXELS = 4_000_000;

/**
 * Encodes every pixel losslessly, including the colour of transparent ones. `npm run bench:webp-lossless` compares the
 * bytes with those of cwebp -z 9.
 */
export function encodeLosslessWebp(image: Image): Uint8Array {
  const pixels = image.width * image.height;
  const held = rereadable(image, MAX_FLAT_PIXELS);
  return held.webpsaveBuffer({ lossless: true, exact: true, ...losslessEffort(held, pixels), keep: 'none' });
}

/** Chooses `effort`, the method of libwebp, and `Q`, the effort of its lossless coder. */
function losslessEffort(image: Image, pixels: number): { effort: number; Q: number } {
  if (pixels <= MAX_TINY_PIXELS) return { effort: 6, Q: 100 };
  const isFlat = !isSequential(image) && isMostlyFlat(image);
  // Flat images contain distant copies, which a quality of 100 searches for. In photographs it finds nothing in twice
  // the time.
  if (pixels <= MAX_SLOW_PIXELS) return { effort: 5, Q: isFlat ? 100 : 75 };
  // Effort 1 takes 5 to 20% less time for flat images than effort 4, and 0.98 to 1.00 times its bytes. From a `Q` of 76 on
  // the benchmark's screenshot takes 8% fewer bytes; with 90 instead of 80 it takes 11% more time for 0.5% fewer.
  return isFlat && pixels <= MAX_FLAT_PIXELS ? { effort: 1, Q: 80 } : { effort: 3, Q: 75 };
}
