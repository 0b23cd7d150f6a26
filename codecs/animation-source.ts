/** Opens animations that the format's own code decodes, because libvips reads only one image of such files. */
import {
  type DecodedImage,
  type DecodedPixels,
  type ImageFacts,
  imageInMemory,
  mapFrames,
  type Timing,
} from './decoded-image.ts';
import { pageOutOfRange } from './errors.ts';
import type { ReaderContext } from './format-reader.ts';
import { FORMATS, type InputFormat } from './formats/registry.ts';
import { headerOf, splitFrames, withFacts } from './image-header.ts';
import { type Source, Truncated } from './source.ts';
import { toWorkingSpace } from './working-space.ts';

/** Frames to decode: `count` of them from `first`, which is counted from 0. */
export interface FrameRequest {
  first: number;
  count: number;
  /** Use what can be read of damaged frames. */
  tolerant: boolean;
}

/** An animation whose structure was read, but none of its pixels. */
export interface Animation {
  timing: Timing;
  /** Frames are missing, or the last one is not complete. */
  endsEarly: boolean;
  /** Bytes per pixel of a frame that the decoder needs besides the frames. */
  workingBytesPerPixel: number;
  /** Bits per sample in the file, if decoding reduces them. */
  storedDepth?: number;
  /**
   * Facts of its composed frames, all of one size.
   * @throws Failure `corrupt_image`
   */
  readFacts(context: ReaderContext): ImageFacts | Promise<ImageFacts>;
  /**
   * Returns composed frames, each below the one before, with the bands and depth of the facts.
   * @throws a libvips error for frames that are damaged, unless `tolerant`
   */
  decode(context: ReaderContext, request: FrameRequest): DecodedPixels | Promise<DecodedPixels>;
}

type DecodedFrames = Pick<DecodedImage, 'frames' | 'column' | 'timing'>;

interface AnimationPage {
  bytes: Uint8Array;
  format: InputFormat;
  /** From 1. */
  page: number;
}

/** @throws Failure `corrupt_image`, `page_out_of_range` */
export async function openAnimation(
  context: ReaderContext,
  animation: Animation,
  { bytes, format, page }: AnimationPage,
): Promise<Source> {
  const { timing, endsEarly, workingBytesPerPixel } = animation;
  const frames = timing.delays.length;
  if (page > frames) throw pageOutOfRange(page, frames);
  const facts = await animation.readFacts(context);
  const isAnimated = frames > 1;
  const read = headerOf(format, facts, { pages: frames, timing: isAnimated ? timing : null, animated: isAnimated });
  const header = { ...read, storedDepth: animation.storedDepth ?? read.storedDepth };
  const codePoints = FORMATS[format].readCodePoints?.(bytes);
  return {
    header,
    streams: false,
    decoderBytes: 0,
    workingBytes: header.width * header.height * workingBytesPerPixel,
    shrinks: false,
    holdsFrames: isAnimated,
    async open(request) {
      if (endsEarly && !request.tolerant) throw new Truncated(format);
      const allFrames = request.animation && isAnimated;
      const range = allFrames ? { first: 0, count: frames } : { first: page - 1, count: 1 };
      const pixels = await animation.decode(context, { ...range, tolerant: request.tolerant });
      const loaded = withFacts(context.vips, pixels, facts);
      const { image, ...colour } = toWorkingSpace(context.vips, loaded, request, codePoints);
      const isUpright = header.orientation === 1;
      // Each frame is cropped from the column, which must not be converted again for each of them.
      const column = allFrames && image !== loaded ? imageInMemory(image) : image;
      const shown: DecodedFrames = allFrames
        ? { frames: splitFrames(column, frames), column, timing }
        : { frames: [image], timing: null };
      const opened = { ...shown, ...colour, inMemory: isUpright && (allFrames || image === loaded) };
      return isUpright ? opened : { ...opened, ...mapFrames(opened, (frame) => frame.autorot()) };
    },
  };
}
