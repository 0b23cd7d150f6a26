/** Quantization tables. */

export interface QuantizationTables {
  luma: readonly number[];
  colour: readonly number[];
}

/**
 * Steps at quality 50, in natural order. They come from table 3 of mozjpeg, which is that of ImageMagick by N.
 * Robidoux, and were fitted with the trellis to Butteraugli and SSIMULACRA2 (npm run bench:jpeg-bytes). DC has finer
 * steps, because a whole block shows its error. High frequencies of luma have finer steps too, because the trellis
 * drops what is not worth its bits. The other steps are coarser instead.
 */
const BASE: QuantizationTables = {
  luma: [
    [11, 18, 18, 20, 26, 36, 50, 70],
    [18, 19, 22, 28, 34, 38, 48, 63],
    [18, 22, 25, 31, 41, 54, 74, 101],
    [20, 28, 31, 38, 48, 63, 84, 114],
    [26, 34, 41, 48, 59, 76, 99, 133],
    [36, 38, 54, 63, 76, 95, 121, 160],
    [50, 48, 74, 84, 99, 121, 153, 198],
    [70, 63, 101, 114, 133, 160, 198, 250],
  ].flat(),
  colour: [
    [11, 18, 18, 21, 29, 43, 64, 98],
    [18, 20, 23, 31, 39, 46, 61, 86],
    [18, 23, 28, 36, 49, 71, 105, 155],
    [21, 31, 36, 46, 61, 85, 122, 179],
    [29, 39, 49, 61, 79, 108, 151, 217],
    [43, 46, 71, 85, 108, 143, 194, 274],
    [64, 61, 105, 122, 151, 194, 260, 358],
    [98, 86, 155, 179, 217, 274, 358, 481],
  ].flat(),
};

/** Largest step in a table of 8 bits. */
const MAX_STEP = 255;

/**
 * Returns the tables of a quality.
 * @param quality 1 to 100
 */
export const quantizationTables = (quality: number): QuantizationTables => ({
  luma: scaleSteps(BASE.luma, quality),
  colour: scaleSteps(BASE.colour, quality),
});

/**
 * Scales steps as libjpeg does (jcparam.c, jpeg_quality_scaling).
 * @param steps at quality 50
 */
export function scaleSteps(steps: readonly number[], quality: number): number[] {
  const percent = Math.floor(quality < 50 ? 5000 / quality : 200 - 2 * quality);
  return steps.map((step) => Math.min(MAX_STEP, Math.max(1, Math.floor((step * percent + 50) / 100))));
}
