/** Converts images and files to the pixels that the measures of this folder compare. */
import { FORMATS, type InputFormat } from '../../codecs/formats/registry.ts';
import { withJpegCodec } from '../../codecs/jpeg/codec.ts';
import { decodeJpeg, type JpegPixels } from '../../codecs/jpeg/decode.ts';
import { readRows } from '../../codecs/pixel-rows.ts';
import { playedDelays } from '../../codecs/played-delays.ts';
import { openSource } from '../../codecs/read.ts';
import { type OpenedImage, type OpenRequest, type Source, STORED_COLOURS, WHOLE_IMAGE } from '../../codecs/source.ts';
import type { Image, VipsApi } from '../../codecs/vips.ts';
import type { WorkerContext } from '../context.ts';
import { total } from '../operations/gif/timeline.ts';
import { bandsOf } from './bands.ts';
import { FINGERPRINT_SIDE, fingerprint } from './fingerprint.ts';
import { type Rgb, stackBands } from './rgb.ts';

/** Transparent areas are compared on grey, where both dark and light differences are visible. */
const TRANSPARENCY_GREY = 128;
/**
 * Larger images are compared by bands with this many pixels in total. For eight photos of 1.4 to 8.3 megapixels at JPEG
 * quality 75, the similarity of bands with half of the pixels differs from that of the whole by at most 0.0004.
 */
const MAX_PIXELS = 16_000_000;

/** The pixels of an image as 8-bit RGB, in a buffer of their own. */
export function rgbOf(vips: VipsApi, image: Image): Rgb {
  const opaque = image.hasAlpha() ? image.flatten({ background: TRANSPARENCY_GREY }) : image;
  const rgb = opaque.colourspace('srgb').cast('uchar');
  const { width, height } = rgb;
  const bands = bandsOf(rgb, MAX_PIXELS);
  if (!bands) return { data: rgb.writeToMemory() as Uint8Array, width, height };
  // Reads the rows between the bands too: the rows of a file may come only once, from top to bottom.
  return stackBands(bands, width, (take) => readRows(vips, rgb, take));
}

/**
 * Decodes a file that was just written.
 * @param share position in an animation, as a share of its time, 0 to 1. Not a frame number, because encoders merge
 * equal frames
 */
export async function rgbOfFile(
  context: WorkerContext,
  bytes: Uint8Array,
  format: InputFormat,
  share: number,
): Promise<Rgb> {
  const pixels = FORMATS[format].jpegStream
    ? withJpegCodec(context.modules, (codec) => decodeJpeg(codec, bytes))
    : undefined;
  if (pixels && pixels.bands !== 4) return rgbOf(context.vips, imageOf(context, pixels));
  const first = await openSource(context, { bytes, format });
  const frame = frameAt(first.header.timing?.delays ?? [], share);
  const source = frame === 0 ? first : await openSource(context, { bytes, format, page: frame + 1 });
  // Upright, as all written files are, and read only once.
  const image = await source.open({ ...STORED_COLOURS, sequential: source.streams });
  return rgbOf(context.vips, image.frames[0]);
}

function imageOf({ vips }: WorkerContext, { data, width, height, bands }: JpegPixels): Image {
  const image = vips.Image.newFromMemory(data, width, height, bands, vips.BandFormat.uchar);
  return image.copy({ interpretation: bands === 1 ? 'b-w' : 'srgb' });
}

/** The share of an animation's time at the middle of a frame. @param stored times of its frames, in milliseconds */
export function shareOf(stored: readonly number[], frame: number): number {
  const delays = playedDelays(stored);
  return (total(delays.slice(0, frame)) + (delays[frame] ?? 0) / 2) / Math.max(1, total(delays));
}

/** Index of the frame shown after this share of the time. */
function frameAt(stored: readonly number[], share: number): number {
  const delays = playedDelays(stored);
  let left = share * total(delays);
  const found = delays.findIndex((delay) => {
    left -= delay;
    return left < 0;
  });
  return found === -1 ? Math.max(0, delays.length - 1) : found;
}

/** Opens an image at the smallest size that its format and a fingerprint allow. Streamed rows can be read only once. */
export const openSmall = (source: Source, tolerant: boolean): Promise<OpenedImage> =>
  source.open(smallRequest(source, tolerant));

/** The request with which {@link openSmall} opens an image. */
export const smallRequest = (source: Source, tolerant: boolean): OpenRequest => ({
  ...WHOLE_IMAGE,
  shrink: smallShrink(source),
  tolerant,
  sequential: isReadInOrder(source),
});

/** The shrink factor with which {@link openSmall} decodes an image. */
export function smallShrink({ header, shrinks }: Source): OpenRequest['shrink'] {
  const side = Math.min(header.width, header.height);
  return ([8, 4, 2] as const).find((factor) => shrinks && side >= factor * FINGERPRINT_SIDE * 2) ?? 1;
}

/** Whether {@link openSmall} reads the rows once, from top to bottom. */
export const isReadInOrder = ({ header, streams }: Source): boolean => streams && header.orientation === 1;

/** The perceptual hash of a file. */
export async function fingerprintOf(source: Source): Promise<string> {
  const image = await openSmall(source, true);
  return fingerprintOfImage(image.frames[0]);
}

/** The perceptual hash of an image opened by {@link openSmall}. */
export function fingerprintOfImage(frame: Image): string {
  const opaque = frame.hasAlpha() ? frame.flatten({ background: 255 }) : frame;
  const small = opaque
    .colourspace('b-w')
    .extractBand(0)
    .resize(FINGERPRINT_SIDE / frame.width, { vscale: FINGERPRINT_SIDE / frame.height })
    .cast('uchar');
  return fingerprint(small.writeToMemory() as Uint8Array);
}
