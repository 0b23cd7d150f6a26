/** Encodes the frames as GIF, WebP, APNG, AVIF or JPEG XL. */
import { withAlpha } from '../../../codecs/colour.ts';
import type { Timing } from '../../../codecs/decoded-image.ts';
import { writeGif } from '../../../codecs/gif/write.ts';
import { splitFrames } from '../../../codecs/image-header.ts';
import { hasFewColours } from '../../../codecs/pixel-facts.ts';
import { encodePngAnimation } from '../../../codecs/png/encode-animation.ts';
import { encodePng } from '../../../codecs/png.ts';
import type { Image } from '../../../codecs/vips.ts';
import { encodeWebpAnimation } from '../../../codecs/webp-animation.ts';
import { encode } from '../../../codecs/write.ts';
import type { WorkerContext } from '../../context.ts';
import { lossyEncoding } from '../../quality/candidate.ts';
import { encoderFailed } from '../retry-truncated.ts';
import type { GifParams } from './params.ts';
import type { AnimationFormat } from './timeline.ts';

export interface EncodeJob {
  context: WorkerContext;
  params: Pick<GifParams, 'colours' | 'lossy' | 'quality' | 'lossless'>;
  /** In pixels. */
  width: number;
  height: number;
  timing: Timing;
  /** All frames of the result, each below the one before, in memory. Undefined: `frames` delivers them. */
  joined: Image | undefined;
  /** Delivers every frame of the result once, in any order, with its index. */
  frames(take: (frame: Image, place: number) => void): void;
}

export interface Encoded {
  /** One frame gives a still image. */
  bytes: Uint8Array;
  /** When all frames were decoded. */
  decodedAt: number;
}

function toGif({ frames, joined, params, width, height, timing }: EncodeJob): Encoded {
  const held: Uint8Array[] = [];
  const all = joined && (withAlpha(joined).writeToMemory() as Uint8Array);
  if (!all)
    frames((frame, place) => {
      held[place] = withAlpha(frame).writeToMemory() as Uint8Array;
    });
  const decodedAt = performance.now();
  const area = width * height * RGBA_BYTES;
  const read = (index: number) => all?.subarray(index * area, (index + 1) * area) ?? (held[index] as Uint8Array);
  const { colours, lossy } = params;
  return { decodedAt, bytes: writeGif({ width, height, ...timing, read }, { colours, lossy }) };
}

const RGBA_BYTES = 4;

/** Returns the frames in one image, each below the one before. */
function columnOf({ frames, joined, context, width, height, timing }: EncodeJob): Image {
  let column = joined;
  // Frames are drawn into one block of memory: as separate images they would take twice the memory.
  if (!joined)
    frames((frame, place) => {
      column ??= context.vips.Image.black(width, height * timing.delays.length, { bands: frame.bands })
        .copy({ interpretation: 'srgb' })
        .copyMemory();
      column.drawImage(frame, 0, place * height);
    });
  return column as unknown as Image;
}

function toWebp(job: EncodeJob): Encoded {
  const { params, context, timing } = job;
  const all = columnOf(job);
  const decodedAt = performance.now();
  // Most animations are drawings, whose colours bleed at edges unless chroma is subsampled carefully; that takes a
  // fifteenth more bytes.
  const lossy = { quality: params.quality, sharpChroma: true };
  try {
    const encode = (settings: typeof lossy | 'lossless') => encodeWebpAnimation(context, all, timing, settings);
    const bytes = encode(params.lossless ? 'lossless' : lossy);
    // Of an animation, the encoder itself tries frames of few colours in both ways.
    const mayWin = timing.delays.length === 1 && !params.lossless && hasFewColours(context.modules, all);
    const lossless = mayWin ? encode('lossless') : bytes;
    return { decodedAt, bytes: lossless.length < bytes.length ? lossless : bytes };
  } catch (error) {
    throw encoderFailed(error);
  }
}

function toPng(job: EncodeJob): Encoded {
  const { context, timing } = job;
  const all = columnOf(job);
  const decodedAt = performance.now();
  const isStill = timing.delays.length === 1;
  try {
    return { decodedAt, bytes: isStill ? encodePng(context, all) : encodePngAnimation(context, all, timing) };
  } catch (error) {
    throw encoderFailed(error);
  }
}

/** As compress encodes an animation that stays one. */
async function encodeAs(format: 'avif' | 'jxl', job: EncodeJob): Promise<Encoded> {
  const { context, params, timing } = job;
  const column = columnOf(job);
  const decodedAt = performance.now();
  const count = timing.delays.length;
  const image = { frames: splitFrames(column, count), column, timing: count > 1 ? timing : null, icc: undefined };
  const encoding = params.lossless ? { lossless: true as const } : lossyEncoding(params.quality);
  try {
    return { decodedAt, bytes: await encode(context, image, format, encoding, {}) };
  } catch (error) {
    throw encoderFailed(error);
  }
}

export const ENCODERS: Readonly<Record<AnimationFormat, (job: EncodeJob) => Encoded | Promise<Encoded>>> = {
  gif: toGif,
  webp: toWebp,
  png: toPng,
  avif: (job) => encodeAs('avif', job),
  jxl: (job) => encodeAs('jxl', job),
};
