/** Opens and encodes animated PNG files. */
import type { Animation } from '../../animation-source.ts';
import type { ImageFacts } from '../../decoded-image.ts';
import type { EncodeContext, Encoding } from '../../encoding.ts';
import { corruptImage } from '../../errors.ts';
import { columnTiming } from '../../frame-reader.ts';
import { factsOf } from '../../image-header.ts';
import { delaysOf, readAnimation } from '../../png/animation-structure.ts';
import { encodePngAnimation } from '../../png/encode-animation.ts';
import { decodeFrames, uncovers } from '../../png/frame-decoder.ts';
import { encodePalettePng } from '../../png.ts';
import { vipsMessage } from '../../source.ts';
import type { Image, VipsApi } from '../../vips.ts';
import { trackHandles } from '../../vips.ts';

/** The canvas, a copy of it that is restored, and the pixels of a frame. Of RGBA with 16 bits. */
const WORKING_BYTES_PER_PIXEL = 24;

/** Undefined for a file without an animation that can be read. */
export function pngAnimation(bytes: Uint8Array): Animation | undefined {
  const animation = readAnimation(bytes);
  if (!animation) return undefined;
  const addsAlpha = uncovers(animation);
  const readFacts = (vips: VipsApi): ImageFacts => {
    const facts = defaultImageFacts(vips, bytes);
    return facts.hasAlpha || !addsAlpha ? facts : { ...facts, bands: facts.bands + 1, hasAlpha: true };
  };
  return {
    timing: { delays: delaysOf(animation.frames), loop: animation.plays },
    endsEarly: animation.endsEarly,
    workingBytesPerPixel: WORKING_BYTES_PER_PIXEL,
    readFacts: ({ vips }) => readFacts(vips),
    async decode(context, request) {
      const { bands, bytesPerSample } = readFacts(context.vips);
      const depth = bytesPerSample === 2 ? 16 : 8;
      return await decodeFrames(context, bytes, animation, { ...request, bands, depth });
    },
  };
}

function defaultImageFacts(vips: VipsApi, bytes: Uint8Array): ImageFacts {
  const handles = trackHandles(vips);
  try {
    const image = vips.Image.pngloadBuffer(bytes, { fail_on: 'none', unlimited: true, access: 'sequential' });
    return { ...factsOf(image), interlaced: false };
  } catch (error) {
    throw corruptImage('PNG', vipsMessage(error));
  } finally {
    handles.free();
  }
}

/**
 * Encodes an animation. Lossy coding takes the colours of all frames from one palette, without dithering: its noise would
 * differ from frame to frame.
 * @param column the frames, stacked vertically, with their timing
 */
export function encodeAnimation(
  context: EncodeContext,
  column: Image,
  encoding: Encoding,
  { frames, keepColour }: { frames: number; keepColour: boolean },
): Uint8Array {
  const timing = columnTiming(column, frames);
  if (encoding.lossless) return encodePngAnimation(context, column, timing, { keepColour, ...encoding.png });
  const reduced = encodePalettePng(context, column, { quality: encoding.quality, dither: false });
  return encodePngAnimation(context, context.vips.Image.pngloadBuffer(reduced, {}), timing, { keepColour });
}
