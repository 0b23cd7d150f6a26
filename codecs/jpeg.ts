/** Pictures to JPEG files. */
import { imageTooLarge } from './errors.ts';
import { withJpegCodec } from './jpeg/codec.ts';
import { JpegEncoder, type JpegSettings } from './jpeg/encode.ts';
import type { Effort } from './jpeg/scan-script.ts';
import type { Modules } from './modules.ts';
import { readRows } from './pixel-rows.ts';
import type { Image, VipsApi } from './vips.ts';

export interface JpegQuality {
  /** 1 to 100. */
  quality: number;
  /** Half the colour resolution in both directions; 4:4:4 without. */
  subsample: boolean;
  /** Spend time on a smaller file of the same quality: a search among scripts of progressive scans. */
  thorough: boolean;
  /** The sequential coding, which every reader knows. Default: whichever is smaller. */
  baseline?: boolean;
}

/** Up to this size the file is progressive where that is smaller. Figures behind it: codecs/jpeg/README.md. */
const MAX_PROGRESSIVE_PIXELS = 16_000_000;

/**
 * @param image grey or RGB, of 8 bits
 * @throws Failure `image_too_large`, and a libvips error for pixels that cannot be decoded
 */
export function encodeJpeg(
  { vips, modules }: { vips: VipsApi; modules: Modules },
  image: Image,
  quality: JpegQuality,
): Uint8Array {
  const { width, height } = image;
  const settings: JpegSettings = {
    quality: quality.quality,
    sampling: quality.subsample ? '420' : '444',
    trellis: true,
    coding: codingOf(quality, width * height),
  };
  return withJpegCodec(modules, (codec) => {
    const encoder = JpegEncoder.start(codec, { width, height, bands: image.bands as 1 | 3 }, settings);
    if (encoder) readRows(vips, image, (data) => encoder.push(data));
    const file = encoder?.finish();
    if (!file) throw imageTooLarge('what the memory of the encoder holds', `${width} x ${height} pixels`);
    return file;
  });
}

function codingOf({ thorough, baseline }: JpegQuality, pixels: number): Effort {
  if (baseline) return 'sequential';
  if (thorough) return 'search';
  return pixels <= MAX_PROGRESSIVE_PIXELS ? 'progressive' : 'sequential';
}
