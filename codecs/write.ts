/** Encodes images: which encoder writes which format, with which settings. Metadata is written afterwards. */

import type { SampleData } from '../base/sample-data.ts';
import { hasAlpha, toBytes, toRgb, withAlpha } from './colour.ts';
import type { DecodedImage } from './decoded-image.ts';
import type { EncodeContext, Encoding, LossyEncoding } from './encoding.ts';
import { unsupportedOutput } from './errors.ts';
import { loadCodec } from './formats/codecs.ts';
import { OUTPUTS, type OutputFormat } from './formats/registry.ts';
import type { Metadata } from './metadata/metadata.ts';
import type { AnySamples, Samples } from './samples.ts';
import type { Image, VipsApi } from './vips.ts';

/** Returns the memory that encoding an image takes outside of libvips' memory, in bytes. */
export const encodingBytes = (format: OutputFormat, { width, height }: { width: number; height: number }): number =>
  OUTPUTS[format].encodingBytes?.(width * height) ?? 0;

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
export const samplesOf = (image: Image, alpha: 'keep' | 'always'): Samples =>
  anySamplesOf(toBytes(image), alpha) as Samples;

/** Returns interleaved samples of 8 or 16 bits. */
export function anySamplesOf(image: Image, alpha: 'keep' | 'always'): AnySamples {
  const rgb = hasAlpha(image) || alpha === 'always' ? withAlpha(toRgb(image)) : image;
  return {
    data: rgb.writeToMemory() as SampleData,
    width: rgb.width,
    height: rgb.height,
    channels: rgb.bands as 1 | 3 | 4,
  };
}

const DEFAULT_LOSSY: LossyEncoding = { lossless: false, quality: 90, fullChroma: false };
/** Returns the settings of an encoder that is always lossy. */
export const lossySettings = (encoding: Encoding): LossyEncoding => (encoding.lossless ? DEFAULT_LOSSY : encoding);

/**
 * Encodes an image whose alpha, size and frames the format can hold.
 * @param metadata for our own encoders, which write the whole file at once; the others get theirs from `writeMetadata`
 * @throws Failure `unsupported_output`
 */
export async function encode(
  context: EncodeContext,
  image: DecodedImage,
  format: OutputFormat,
  encoding: Encoding,
  metadata: Metadata,
): Promise<Uint8Array> {
  const [first] = image.frames;
  checkSize(format, first.width, first.height);
  const isAnimation = OUTPUTS[format].animation !== 'none';
  const column = isAnimation ? joinFrames(context.vips, image) : first;
  const codec = await loadCodec(format);
  return codec.encode!(column, encoding, context, metadata, isAnimation ? image.frames.length : 1, image.codePoints);
}

/** Stacks the frames vertically and adds their timing, which is the layout that libvips' animation encoders expect. */
function joinFrames(vips: VipsApi, { frames, timing, column: joined }: DecodedImage): Image {
  const [first] = frames;
  if (!timing) return first;
  const column = (joined ?? vips.Image.arrayjoin(frames, { across: 1 })).copy();
  column.setInt('page-height', first.height);
  column.setArrayInt('delay', timing.delays);
  column.setInt('loop', timing.loop);
  return column;
}
