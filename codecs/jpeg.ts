/** Pictures to JPEG files, and back. */
import { freeBuffer } from '../base/free-buffer.ts';
import { imageTooLarge } from './errors.ts';
import { needsFullChroma } from './jpeg/chroma.ts';
import { withJpegCodec } from './jpeg/codec.ts';
import { decodeJpeg, decodeResized, type JpegPixels } from './jpeg/decode.ts';
import { JpegEncoder, type JpegSize } from './jpeg/encode.ts';
import { type Requantized, type RequantizeSettings, requantizeJpeg } from './jpeg/requantize.ts';
import type { Effort } from './jpeg/scan-script.ts';
import type { Modules } from './modules.ts';
import type { DecodedPixels, PixelRequest, ResizeRequest } from './picture.ts';
import { readRows, wholePixels } from './pixel-rows.ts';
import type { Image, VipsApi } from './vips.ts';

export interface JpegQuality {
  /** 1 to 100. */
  quality: number;
  /** By which the resolution of colour is chosen. Default: `quality`. */
  chromaQuality?: number;
  /** Full colour resolution where the picture is too large to be looked at; others get what they need. */
  fullChroma: boolean;
  /** The sequential coding, which every reader knows. Default: whichever is smaller. */
  baseline?: boolean;
}

/** Up to this size the file is progressive where that is smaller. Figures behind it: codecs/jpeg/README.md. */
const MAX_PROGRESSIVE_PIXELS = 16_000_000;

function codingOf(pixels: number): Effort {
  return pixels > MAX_PROGRESSIVE_PIXELS ? 'sequential' : 'sampled';
}

/**
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

/** A JPEG file at a quality, turned or not, without a way through pixels. As `requantizeJpeg` of codecs/jpeg/. */
export function compressJpeg(
  modules: Modules,
  file: Uint8Array,
  settings: Omit<RequantizeSettings, 'coding'>,
): Requantized {
  return withJpegCodec(modules, (codec) => requantizeJpeg(codec, file, { ...settings, coding: codingOf }));
}

/** Pixels that are decoded as a whole. */
const MAX_WHOLE_PIXELS = 16_000_000;
const FULL_EIGHTHS = 8;

/** @returns undefined for a file that libvips is to decode: too large, of inks, damaged, or of a coding that is not read */
export function decodeJpegPixels(
  modules: Modules,
  bytes: Uint8Array,
  { width, height, interlaced, shrink }: PixelRequest,
): DecodedPixels | undefined {
  // Of several scans every coefficient is held, at whatever size.
  if (width * height * (interlaced ? shrink ** 2 : 1) > MAX_WHOLE_PIXELS) return undefined;
  // libvips leaves out pixels at the right and at the bottom that are not whole.
  const region = { left: 0, top: 0, width, height };
  return completePixels(
    withJpegCodec(modules, (codec) => decodeJpeg(codec, bytes, { eighths: FULL_EIGHTHS / shrink, region })),
  );
}

/** Pixels of a result that is resized while it is decoded: it is held twice, also where rows would be streamed. */
const MAX_RESIZED_PIXELS = 8_000_000;

/** The same at a smaller size, of a file of any number of pixels unless it is interlaced. */
export function decodeResizedJpeg(
  modules: Modules,
  bytes: Uint8Array,
  { pixels, interlaced, size }: ResizeRequest,
): DecodedPixels | undefined {
  if (size.width * size.height > MAX_RESIZED_PIXELS || (interlaced && pixels > MAX_WHOLE_PIXELS)) return undefined;
  return completePixels(withJpegCodec(modules, (codec) => decodeResized(codec, bytes, size)));
}

function completePixels(pixels: JpegPixels | undefined): DecodedPixels | undefined {
  // libvips knows the inks of CMYK, and says what is missing.
  return pixels?.bands === 4 || pixels?.truncated ? undefined : pixels;
}
