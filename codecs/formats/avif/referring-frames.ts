/**
 * Reads image sequences whose frames refer to each other. They are decoded in order, by libheif, which is part of
 * ImageMagick; to 8 bits, because its WebAssembly build has no more.
 */
import type { Animation, FrameRequest } from '../../animation-source.ts';
import type { DecodedPixels } from '../../decoded-image.ts';
import { corruptImage } from '../../errors.ts';
import { isLimitedRange } from '../../heif/av1-sequence-header.ts';
import type { CodedTrack, ImageSequence } from '../../heif/sequence.ts';
import { type Magick, releaseMagick, startMagick } from '../../magick/engine.ts';
import { withImages } from '../../magick/images.ts';
import { exportPixels } from '../../magick/samples.ts';
import { propertyType } from '../../metadata/avif-items.ts';
import { tryParse } from '../../metadata/damage.ts';
import { Truncated } from '../../source.ts';

/** ImageMagick keeps all frames, each with four samples and a copy. */
const WORKING_BYTES_PER_PIXEL = 8;

export function referringAnimation(bytes: Uint8Array, sequence: ImageSequence): Animation {
  const { width, height, colour, delays, plays, endsEarly } = sequence;
  const hasAlpha = sequence.alpha !== undefined;
  const bands = hasAlpha ? 4 : 3;
  return {
    timing: { delays, loop: plays },
    endsEarly,
    workingBytesPerPixel: WORKING_BYTES_PER_PIXEL * delays.length,
    storedDepth: depthOf(colour),
    readFacts: () => ({
      ...{ width, height, bands, hasAlpha, interpretation: 'srgb', bytesPerSample: 1 },
      ...{ interlaced: false, orientation: undefined, icc: profileOf(colour) },
    }),
    async decode(_, range) {
      const pixels = await decodeFrames(bytes, { width, height, bands }, range);
      if (sequence.alpha && isLimitedRange(sequence.alpha.configuration)) stretchAlpha(pixels.data);
      return pixels;
    },
  };
}

const [BLACK, WHITE] = [16, 235];

/** Stretches alpha to the whole range, which libheif does for colour only. */
function stretchAlpha(rgba: Uint8Array): void {
  const levels = Uint8ClampedArray.from({ length: 256 }, (_, level) => ((level - BLACK) * 255) / (WHITE - BLACK));
  for (let at = 3; at < rgba.length; at += 4) rgba[at] = levels[rgba[at]!]!;
}

/**
 * A sequence is refused as a whole if a frame is damaged. Then the frames before it are searched for, and stand for those
 * after them.
 */
async function decodeFrames(
  bytes: Uint8Array,
  size: FrameSize,
  { first, count, tolerant }: FrameRequest,
): Promise<DecodedPixels> {
  const magick = await startMagick();
  const decode = (below: number) => tryParse(() => readFrames(magick, bytes, size, { first, count, below }));
  try {
    const whole = decode(first + count);
    if (whole) return whole;
    if (!tolerant) throw new Truncated('avif');
    let [best, readable, damaged]: [DecodedPixels | undefined, number, number] = [undefined, 0, first + count];
    while (damaged - readable > 1) {
      const middle = (readable + damaged) >> 1;
      const found = decode(middle);
      if (found) [best, readable] = [found, middle];
      else damaged = middle;
    }
    if (!best) throw corruptImage('AVIF', 'no frame can be decoded');
    return best;
  } finally {
    await releaseMagick();
  }
}

type FrameSize = Pick<DecodedPixels, 'width' | 'height' | 'bands'>;

/**
 * @param below the number of frames that are decoded; the last of them stands for those that are asked for behind it
 * @throws Failure `corrupt_image`
 */
function readFrames(
  magick: Magick,
  bytes: Uint8Array,
  { width, height, bands }: FrameSize,
  { first, count, below }: { first: number; count: number; below: number },
): DecodedPixels {
  return withImages(magick, bytes, { format: 'avif', ping: false, framesBelow: below }, ({ images }) => {
    const decoded = [...images];
    if (decoded.length < below) throw corruptImage('AVIF', `${decoded.length} of ${below} frames can be decoded`);
    const frames = Array.from({ length: count }, (_, place) => decoded[Math.min(first + place, below - 1)]!);
    const frameBytes = width * height * bands;
    const data = new Uint8Array(frameBytes * count);
    for (const [place, frame] of frames.entries()) {
      if (frame.width !== width || frame.height !== height) throw corruptImage('AVIF', 'frames of different sizes');
      data.set(exportPixels(frame, bands === 4 ? 'RGBA' : 'RGB'), place * frameBytes);
    }
    return { data, width, height: height * count, bands };
  });
}

/** Bits per sample in the third byte of `av1C` (AV1-ISOBMFF, section 2.3.3). */
function depthOf({ configuration }: CodedTrack): number {
  const flags = configuration[10]!;
  if ((flags & 0x40) === 0) return 8;
  return (flags & 0x20) === 0 ? 10 : 12;
}

/** Returns the ICC profile of a `colr` box (ISO/IEC 14496-12, 12.1.5). */
function profileOf({ colours }: CodedTrack): Uint8Array | undefined {
  const box = colours.find((colour) => propertyType(colour) === 'colr' && /^(prof|rICC)$/.test(typeOf(colour)));
  return box?.slice(COLOUR_FIELDS);
}

/** Size and type of the box, and the type of its content. */
const COLOUR_FIELDS = 12;

const typeOf = (box: Uint8Array): string => Buffer.from(box.subarray(8, COLOUR_FIELDS)).toString('latin1');
