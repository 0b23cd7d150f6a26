/** Encodes images: which encoder writes which format, with which settings. Metadata is written afterwards. */
import { joinFrames } from './animation.ts';
import { encodeAvif, encodeLosslessAvif } from './avif.ts';
import { encodeBmp } from './bmp.ts';
import { hasAlpha, isGrey, toRgb, withAlpha } from './colour.ts';
import { unsupportedOutput } from './errors.ts';
import { OUTPUTS, type OutputFormat } from './formats/registry.ts';
import { encodeGif } from './gif.ts';
import { encodeIco } from './ico.ts';
import { encodeJpeg } from './jpeg.ts';
import { encodeJxl, encodeLosslessJxl } from './jxl.ts';
import type { Metadata } from './metadata/metadata.ts';
import type { Modules } from './modules.ts';
import { encodePdf } from './pdf.ts';
import type { DecodedImage } from './picture.ts';
import { encodePalettePng, encodePng, type PngSettings } from './png.ts';
import { encodePsd } from './psd.ts';
import type { Samples } from './samples.ts';
import { encodeTga } from './tga.ts';
import { encodeJpegTiff, encodeTiff } from './tiff.ts';
import type { Image, VipsApi } from './vips.ts';
import { encodeWebpFrames } from './webp-choice.ts';

export interface EncodeContext {
  vips: VipsApi;
  modules: Modules;
}

export interface LossyEncoding {
  lossless: false;
  /** 1 to 100. */
  quality: number;
  /** JPEG and AVIF only: the quality that decides the chroma resolution. Default: chosen from the quality. */
  chromaQuality?: number;
  /** Use full chroma resolution, if the format supports a choice. */
  fullChroma: boolean;
  /**
   * AVIF only: pixel count that decides the encoder's speed, for an image that is part of a larger one. Default: its
   * own.
   */
  wholePixels?: number;
  /** The image is one of many encodings in a search for a file size, so AVIF is encoded quickly. Default: false. */
  repeated?: boolean;
  /** JPEG only: the sequential coding, which every reader supports. Default: the smaller coding. */
  baseline?: boolean;
}

export type Encoding =
  | { lossless: true /** What a PNG must keep besides its pixels. */; png?: PngSettings }
  | LossyEncoding;

/** Returns the memory that encoding an image takes outside of libvips' memory, in bytes. */
export function encodingBytes(format: OutputFormat, { width, height }: { width: number; height: number }): number {
  return OUTPUTS[format].encodingBytes?.(width * height) ?? 0;
}

/**
 * Checks the size of an image.
 * @throws Failure `unsupported_output` when the format cannot hold an image of this size
 */
export function checkSize(format: OutputFormat, width: number, height: number): void {
  const max = OUTPUTS[format].maxSide;
  if (max !== undefined && Math.max(width, height) > max) {
    throw unsupportedOutput(
      `a format that holds ${width} x ${height} pixels`,
      `${format}, which holds at most ${max} on a side`,
    );
  }
}

/** Returns interleaved 8-bit samples for our own encoders. */
function samples(image: Image, alpha: 'keep' | 'always'): Samples {
  const rgb = hasAlpha(image) || alpha === 'always' ? withAlpha(toRgb(image)) : image;
  return {
    data: rgb.writeToMemory() as Uint8Array,
    width: rgb.width,
    height: rgb.height,
    channels: rgb.bands as 1 | 3 | 4,
  };
}

type Encoder = (
  image: Image,
  encoding: Encoding,
  context: EncodeContext,
  metadata: Metadata,
  /** Number of frames, which are stacked vertically in the image. */
  frames: number,
) => Uint8Array | Promise<Uint8Array>;

const DEFAULT_LOSSY: LossyEncoding = { lossless: false, quality: 90, fullChroma: false };
const lossy = (encoding: Encoding): LossyEncoding => (encoding.lossless ? DEFAULT_LOSSY : encoding);

function jpeg(image: Image, encoding: Encoding, context: EncodeContext): Uint8Array {
  return encodeJpeg(context, image, lossy(encoding));
}

const ENCODERS: Record<OutputFormat, Encoder> = {
  jpeg,
  png: (image, encoding, context, { icc }) =>
    encoding.lossless
      ? encodePng(context, image, { keepColour: icc !== undefined, ...encoding.png })
      : encodePalettePng(image, { quality: encoding.quality, dither: true }),
  webp: (image, encoding, context, _metadata, frames) => {
    const settings = encoding.lossless ? 'lossless' : { quality: encoding.quality, sharpChroma: encoding.fullChroma };
    return encodeWebpFrames(context, image, frames, settings);
  },
  avif: (image, encoding, { modules }) =>
    encoding.lossless ? encodeLosslessAvif(image) : encodeAvif(image, encoding, modules),
  gif: (image, encoding) => encodeGif(image, { quality: encoding.lossless ? 100 : encoding.quality }),
  tiff: (image, encoding) => (encoding.lossless ? encodeTiff(image) : encodeJpegTiff(image, encoding)),
  jxl: (image, encoding) => (encoding.lossless ? encodeLosslessJxl(image) : encodeJxl(image, encoding)),
  bmp: (image, _encoding, _context, { density }) =>
    encodeBmp({ ...(samples(image, 'keep') as Samples<1 | 3>), density }),
  ico: (image, _encoding, context) =>
    encodeIco([samples(image, 'always') as Samples<4>], () => encodePng(context, image, { keepLayout: true })),
  tga: (image) => encodeTga(samples(image, 'keep')),
  psd: (image, _encoding, _context, metadata) => encodePsd({ ...samples(image, 'keep'), metadata }),
  pdf: (image, encoding, context, { density }) =>
    encodePdf({
      jpeg: jpeg(image, encoding, context),
      width: image.width,
      height: image.height,
      components: isGrey(image) ? 1 : 3,
      density,
    }),
};

/**
 * Encodes an image whose alpha, size and frames the format can hold.
 * @param metadata for our own encoders, which write the whole file at once; the others get theirs from `writeMetadata`
 * @throws Failure `unsupported_output`
 */
export async function encode(
  context: EncodeContext,
  picture: DecodedImage,
  format: OutputFormat,
  encoding: Encoding,
  metadata: Metadata,
): Promise<Uint8Array> {
  const [first] = picture.frames;
  checkSize(format, first.width, first.height);
  const isAnimation = OUTPUTS[format].animation;
  const column = isAnimation ? joinFrames(context.vips, picture) : first;
  return ENCODERS[format](column, encoding, context, metadata, isAnimation ? picture.frames.length : 1);
}
