/** Decides whether an image needs full chroma resolution, from what 4:2:0 would change on some of its lines. */
import type { JpegCodec } from './codec.ts';
import type { JpegSource } from './encode.ts';

/** Number of pixels in the line pairs that are examined. */
const SAMPLED_PIXELS = 200_000;
const MIN_PAIRS = 16;
const MAX_PAIRS = 64;
/**
 * A pixel is off if its chroma would change by more than this many levels per step of quality below 100: 32 at quality
 * 80. In sixty images (npm run bench:jpeg-bytes) this separates those that look broken from those that do not.
 */
const LEVELS_PER_QUALITY = 1.6;
const MIN_LEVELS = 2;
const MAX_LEVELS = 40;
/** Largest share of pixels that may be off. */
const MAX_SHARE = 0.003;

/** A pair and the lines around it that affect its interpolation. */
const LINES = 6;

/**
 * Whether an image needs full chroma resolution. Uses the codec until it returns.
 * @param quality 1 to 100
 * @returns undefined if there is not enough memory
 */
export function needsFullChroma(
  codec: JpegCodec,
  { data, width, height, bands }: JpegSource,
  quality: number,
): boolean | undefined {
  const { run } = codec;
  const [across, down] = [width >> 1, height >> 1];
  if (bands === 1 || across < 3 || down < 3) return false;
  const levels = Math.min(MAX_LEVELS, Math.max(MIN_LEVELS, LEVELS_PER_QUALITY * (100 - quality)));
  const pairs = Math.min(MAX_PAIRS, Math.max(MIN_PAIRS, Math.floor(SAMPLED_PIXELS / (2 * width))));
  const step = Math.max(1, Math.floor((down - 2) / pairs));
  const pitch = width * bands;
  run.close();
  const lines = codec.reserve(LINES * pitch);
  if (lines === undefined || !run.startChroma(width)) return undefined;
  let lost = 0;
  let seen = 0;
  for (let pair = 1; pair < down - 1; pair += step) {
    const first = 2 * (pair - 1) * pitch;
    codec.bytes(lines, LINES * pitch).set(data.subarray(first, first + LINES * pitch));
    lost += run.countLost(lines, width, levels);
    seen += 4 * across - 8;
  }
  return lost > MAX_SHARE * seen;
}
