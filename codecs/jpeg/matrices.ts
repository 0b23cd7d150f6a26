/** What turns the 8 coefficients of a row or column into another number of samples: "scaled decoding". */

const COEFFICIENTS = 8;
const MAX_SIDE = 16;

/** The inverse transform for as many samples (ITU-T T.81, A.3.3), of the lowest of as many coefficients; 1 for the first. */
function transformFor(side: number): number[][] {
  return Array.from({ length: side }, (_, sample) =>
    Array.from({ length: COEFFICIENTS }, (_, index) => {
      if (index === 0) return 1;
      return index < side ? Math.SQRT2 * Math.cos(((2 * sample + 1) * index * Math.PI) / (2 * side)) : 0;
    }),
  );
}

/** The matrices for blocks of 1 to 16 samples, as `startRows` takes them. */
export const MATRICES = Float32Array.from(
  Array.from({ length: MAX_SIDE }, (_, index) => transformFor(index + 1)).flat(2),
);
