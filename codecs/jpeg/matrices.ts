/** What turns the 8 coefficients of a row or column into another number of samples: "scaled decoding". */

const COEFFICIENTS = 8;
const MAX_SIDE = 16;

/**
 * The inverse transform for `side` samples (ITU-T T.81, A.3.3), of the lowest of as many coefficients; 1 for the first. By coefficient, then
 * by sample, with zeros behind the last.
 */
function transformFor(side: number): number[][] {
  return Array.from({ length: COEFFICIENTS }, (_, index) =>
    Array.from({ length: MAX_SIDE }, (_, sample) => {
      if (index >= side || sample >= side) return 0;
      return index === 0 ? 1 : Math.SQRT2 * Math.cos(((2 * sample + 1) * index * Math.PI) / (2 * side));
    }),
  );
}

/** The matrices for blocks of 1 to 16 samples, as `startRows` takes them. */
export const MATRICES = Float32Array.from(
  Array.from({ length: MAX_SIDE }, (_, index) => transformFor(index + 1)).flat(2),
);
