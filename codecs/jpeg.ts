/** Encodes images as JPEG files, and decodes them. */
import { freeBuffer } from '../base/free-buffer.ts';
import type { DecodedPixels, PixelRequest, ResizeRequest } from './decoded-image.ts';
import { imageTooLarge } from './errors.ts';
import { needsFullChroma } from './jpeg/chroma.ts';
import { withJpegCodec } from './jpeg/codec.ts';
import { decodeJpeg, decodeResized, type JpegPixels } from './jpeg/decode.ts';
import { JpegEncoder, type JpegSize } from './jpeg/encode.ts';
import { type Requantized, type RequantizeSettings, requantizeJpeg } from './jpeg/requantize.ts';
import type { Effort } from './jpeg/scan-script.ts';
import type { Modules } from './modules.ts';
import { readRows, wholePixels } from './pixel-rows.ts';
import type { Image, VipsApi } from './vips.ts';

export interface JpegQuality {
  /** 1 to 100. */
  quality: number;
  /** The quality that decides the chroma resolution. Default: `quality`. */
  chromaQuality?: number;
  /** Use full chroma resolution for an image that is too large to analyse. For other images the encoder decides. */
  fullChroma: boolean;
  /** Write the sequential coding, which every reader supports. Default: the smaller coding. */
  baseline?: boolean;
}

/** Up to this size the file is progressive if that is smaller. The measurements are in codecs/jpeg/README.md. */
const MAX_PROGRESSIVE_PIXELS = 16_000_000;

const codingOf = (pixels: number): Effort => (pixels > MAX_PROGRESSIVE_PIXELS ? 'sequential' : 'sampled');

/**
 * Encodes an image.
 * @param image grey or RGB, of 8 bits
 * @throws Failure `image_too_large`, and a libvips error for pixels that cannot be decoded
 */
export function encodeJpeg(
  { vips, modules }: { vips: VipsApi; modules: Modules },
  image: Image,
  settings: JpegQuality,
): Uint8Array {
  const { width, height } = image;
  const coding: Effort = settings.baseline ? 'sequential' : codingOf(width * height);
  const size: JpegSize = { width, height, bands: image.bands as 1 | 3 };
  const { quality, chromaQuality = quality } = settings;
  const data = wholePixels(image);
  return withJpegCodec(modules, (codec) => {
    const isFull = data ? needsFullChroma(codec, { ...size, data }, chromaQuality) : settings.fullChroma;
    const sampling = isFull ? '444' : '420';
    const encoder = JpegEncoder.start(codec, size, { quality, sampling, trellis: true, coding });
    if (data) {
      encoder?.push(data);
      freeBuffer(data.buffer);
    } else if (encoder) readRows(vips, image, (rows) => encoder.push(rows));
    const file = encoder?.finish();
    if (!file) throw imageTooLarge('what the memory of the encoder holds', `${width} x ${height} pixels`);
    return file;
  });
}

/**
 * Recompresses a JPEG file to a quality, optionally rotated, without decoding it to pixels. See `requantizeJpeg` of
 * codecs/jpeg/.
 */
export function compressJpeg(
  modules: Modules,
  file: Uint8Array,
  settings: Omit<RequantizeSettings, 'coding'>,
): Requantized {
  return withJpegCodec(modules, (codec) => requantizeJpeg(codec, file, { ...settings, coding: codingOf }));
}

/** Largest image that is decoded as a whole, in pixels. */
const MAX_WHOLE_PIXELS = 16_000_000;
const FULL_EIGHTHS = 8;

/**
 * Decodes a file.
 * @returns undefined for a file that libvips must decode: too large, CMYK, damaged, or of an unsupported coding
 */
export function decodeJpegPixels(
  modules: Modules,
  bytes: Uint8Array,
  { width, height, interlaced, shrink }: PixelRequest,
): DecodedPixels | undefined {
  // The decoder keeps every coefficient of a file of several scans, at whatever size it decodes.
  if (width * height * (interlaced ? shrink ** 2 : 1) > MAX_WHOLE_PIXELS) return undefined;
  // libvips omits the incomplete pixels at the right and bottom.
  const region = { left: 0, top: 0, width, height };
  return completePixels(
    withJpegCodec(modules, (codec) => decodeJpeg(codec, bytes, { eighths: FULL_EIGHTHS / shrink, region })),
  );
}

/**
 * Largest result that is resized while it is decoded, in pixels. It is held in memory twice, even where rows could be
 * streamed.
 */
const MAX_RESIZED_PIXELS = 8_000_000;

/** Decodes a file to a smaller size. The file may have any number of pixels unless it is interlaced. */
export function decodeResizedJpeg(
  modules: Modules,
  bytes: Uint8Array,
  { pixels, interlaced, size }: ResizeRequest,
): DecodedPixels | undefined {
  if (size.width * size.height > MAX_RESIZED_PIXELS || (interlaced && pixels > MAX_WHOLE_PIXELS)) return undefined;
  return completePixels(withJpegCodec(modules, (codec) => decodeResized(codec, bytes, size)));
}

function completePixels(pixels: JpegPixels | undefined): DecodedPixels | undefined {
  // libvips converts CMYK, and reports what is missing.
  return pixels?.bands === 4 || pixels?.truncated ? undefined : pixels;
}
