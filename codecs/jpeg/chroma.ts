/** Whether an image needs its colours at full resolution: what 4:2:0 would do to them, on some of its lines. */
import type { JpegCodec } from './codec.ts';
import type { JpegSource } from './encode.ts';

/** Pairs of lines that are looked at: as many as have so many pixels. */
const SAMPLED_PIXELS = 200_000;
const MIN_PAIRS = 16;
const MAX_PAIRS = 64;
/**
 * A pixel is off where its colour would change by so many levels for each step of quality below 100: at quality 80 by 32. Sixty images
 * (npm run bench:jpeg-bytes) look broken, or not, on either side of it.
 */
const LEVELS_PER_QUALITY = 1.6;
const MIN_LEVELS = 2;
const MAX_LEVELS = 40;
/** Share of pixels that may be off. */
const MAX_SHARE = 0.003;

/** Lines around a pair that tell what is shown of it. */
const LINES = 6;

/**
 * The codec is busy until the end.
 * @param quality 1 to 100
 * @returns undefined where there is no memory for it
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
