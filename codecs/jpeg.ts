/** Pictures to JPEG files. */
import { imageTooLarge } from './errors.ts';
import { needsFullChroma } from './jpeg/chroma.ts';
import { withJpegCodec } from './jpeg/codec.ts';
import { JpegEncoder, type JpegSize } from './jpeg/encode.ts';
import type { Effort } from './jpeg/scan-script.ts';
import type { Modules } from './modules.ts';
import { isReadWhole, readRows } from './pixel-rows.ts';
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

/**
 * @param image grey or RGB, of 8 bits
 * @throws Failure `image_too_large`, and a libvips error for pixels that cannot be decoded
 */
export function encodeJpeg(
  { vips, modules }: { vips: VipsApi; modules: Modules },
  image: Image,
  settings: JpegQuality,
): Uint8Array {
  const { quality, chromaQuality = quality } = settings;
  const { width, height } = image;
  const isBaseline = settings.baseline || width * height > MAX_PROGRESSIVE_PIXELS;
  const coding: Effort = isBaseline ? 'sequential' : 'sampled';
  const size: JpegSize = { width, height, bands: image.bands as 1 | 3 };
  const common = { quality, trellis: true, coding };
  return withJpegCodec(modules, (codec) => {
    let encoder: JpegEncoder | undefined;
    let isFull = false;
    readRows(vips, image, (data) => {
      if (isFull) return;
      const isChroma = isReadWhole(image) ? needsFullChroma({ ...size, data }, chromaQuality) : settings.fullChroma;
      encoder ??= JpegEncoder.start(codec, size, { ...common, sampling: isChroma ? '444' : '420' });
      isFull = encoder === undefined;
      encoder?.push(data);
    });
    const file = encoder?.finish();
    if (!file) throw imageTooLarge('what the memory of the encoder holds', `${width} x ${height} pixels`);
    return file;
  });
}
