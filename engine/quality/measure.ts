/** From pictures and files to what the measures of this folder work on. */
import type { InputFormat } from '../../codecs/formats.ts';
import { withJpegCodec } from '../../codecs/jpeg/codec.ts';
import { decodeJpeg, type JpegPixels } from '../../codecs/jpeg/decode.ts';
import { readRows } from '../../codecs/pixel-rows.ts';
import { openSource } from '../../codecs/read.ts';
import { type OpenedPicture, type OpenRequest, type Source, WHOLE_PICTURE } from '../../codecs/source.ts';
import type { Image, VipsApi } from '../../codecs/vips.ts';
import type { WorkerContext } from '../context.ts';
import { playedDelays, total } from '../operations/gif/timeline.ts';
import { bandsOf } from './bands.ts';
import { FINGERPRINT_SIDE, fingerprint } from './fingerprint.ts';
import { type Rgb, stackBands } from './rgb.ts';

/** Transparent areas are compared on grey, against which both dark and light differences show. */
const BEHIND = 128;
/**
 * Larger images are compared by bands of this many pixels together. Of eight photographs of 1.4 to 8.3 megapixels at JPEG quality 75, bands of half the
 * image differ from the whole by up to 0.0004 in the similarity.
 */
const MAX_PIXELS = 16_000_000;

/** The pixels of an image as RGB of 8 bits, in a buffer of their own. */
export function rgbOf(vips: VipsApi, image: Image): Rgb {
  const opaque = image.hasAlpha() ? image.flatten({ background: BEHIND }) : image;
  const rgb = opaque.colourspace('srgb').cast('uchar');
  const { width, height } = rgb;
  const bands = bandsOf(rgb, MAX_PIXELS);
  if (!bands) return { data: rgb.writeToMemory() as Uint8Array, width, height };
  // Also rows between them are read: those of a file may come once, from top to bottom.
  return stackBands(bands, width, (take) => readRows(vips, rgb, take));
}

/**
 * Decodes a file that we have just written.
 * @param share of an animation, the part of its time after which it is looked at, 0 to 1. Frames are not counted: encoders
 * join those that are equal
 */
export async function rgbOfFile(
  context: WorkerContext,
  bytes: Uint8Array,
  format: InputFormat,
  share: number,
): Promise<Rgb> {
  const pixels = format === 'jpeg' ? withJpegCodec(context.modules, (codec) => decodeJpeg(codec, bytes)) : undefined;
  if (pixels && pixels.bands !== 4) return rgbOf(context.vips, imageOf(context, pixels));
  const first = await openSource(context, { bytes, format, page: 1 });
  const frame = frameAt(first.header.timing?.delays ?? [], share);
  const source = frame === 0 ? first : await openSource(context, { bytes, format, page: frame + 1 });
  // Upright, as we write all, and read once.
  const picture = await source.open({ ...WHOLE_PICTURE, keepProfile: true, sequential: source.streams });
  return rgbOf(context.vips, picture.frames[0]);
}

function imageOf({ vips }: WorkerContext, { data, width, height, bands }: JpegPixels): Image {
  const image = vips.Image.newFromMemory(data, width, height, bands, vips.BandFormat.uchar);
  return image.copy({ interpretation: bands === 1 ? 'b-w' : 'srgb' });
}

/** The part of the time of an animation at which the middle of a frame is shown. @param stored times of its frames, in milliseconds */
export function shareOf(stored: readonly number[], frame: number): number {
  const delays = playedDelays(stored);
  return (total(delays.slice(0, frame)) + (delays[frame] ?? 0) / 2) / Math.max(1, total(delays));
}

/** The frame that is shown after a part of the time, counted from 0. */
function frameAt(stored: readonly number[], share: number): number {
  const delays = playedDelays(stored);
  let left = share * total(delays);
  const found = delays.findIndex((delay) => {
    left -= delay;
    return left < 0;
  });
  return found === -1 ? Math.max(0, delays.length - 1) : found;
}

/** Opens a picture as small as its format can make it and a fingerprint allows. Rows that stream can be read once. */
export function openSmall(source: Source, tolerant: boolean): Promise<OpenedPicture> {
  return source.open(smallRequest(source, tolerant));
}

/** How {@link openSmall} opens a picture. */
export function smallRequest(source: Source, tolerant: boolean): OpenRequest {
  return { ...WHOLE_PICTURE, shrink: smallShrink(source), tolerant, sequential: isReadInOrder(source) };
}

/** How much smaller {@link openSmall} has a picture decoded. */
export function smallShrink({ header, shrinks }: Source): OpenRequest['shrink'] {
  const side = Math.min(header.width, header.height);
  return ([8, 4, 2] as const).find((factor) => shrinks && side >= factor * FINGERPRINT_SIDE * 2) ?? 1;
}

/** Whether {@link openSmall} asks for the rows once, from top to bottom. */
export function isReadInOrder({ header, streams }: Source): boolean {
  return streams && header.orientation === 1;
}

/** The perceptual hash of a file. */
export async function fingerprintOf(source: Source): Promise<string> {
  const picture = await openSmall(source, true);
  return fingerprintOfPicture(picture.frames[0]);
}

/** The perceptual hash of what {@link openSmall} has opened. */
export function fingerprintOfPicture(frame: Image): string {
  const opaque = frame.hasAlpha() ? frame.flatten({ background: 255 }) : frame;
  const small = opaque
    .colourspace('b-w')
    .extractBand(0)
    .resize(FINGERPRINT_SIDE / frame.width, { vscale: FINGERPRINT_SIDE / frame.height })
    .cast('uchar');
  return fingerprint(small.writeToMemory() as Uint8Array);
}
