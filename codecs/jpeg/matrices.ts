/** Matrices that convert the coefficients of a row or column to a number of samples other than 8: "scaled decoding". */

const COEFFICIENTS = 8;
const MAX_SIDE = 16;
/** Unit of the integers below: 2^13. */
const FRACTION = 2 ** 13;
/** Bytes of a matrix. */
const MATRIX_BYTES = COEFFICIENTS * MAX_SIDE * Float32Array.BYTES_PER_ELEMENT;

/**
 * Returns the contribution of a coefficient to one of `side` samples, as in the inverse transform of the lowest `side`
 * coefficients (ITU-T T.81, A.3.3); 1 for the first coefficient.
 */
function factorOf(side: number, coefficient: number, sample: number): number {
  if (coefficient >= side || sample >= side) return 0;
  return coefficient === 0 ? 1 : Math.SQRT2 * Math.cos(((2 * sample + 1) * coefficient * Math.PI) / (2 * side));
}

/**
 * Makes the matrix for up to 7 samples: 16-bit integers, by pair of coefficients, then by sample (8 of them), then
 * within the pair.
 */
const pairsFor = (side: number): Int16Array =>
  Int16Array.from({ length: COEFFICIENTS * COEFFICIENTS }, (_, index) => {
    const coefficient = ((index >> 4) << 1) | (index & 1);
    return Math.round(factorOf(side, coefficient, (index >> 1) & 7) * FRACTION);
  });

/** Makes the matrix for more samples: floats, by coefficient, then by sample (16 of them). */
const floatsFor = (side: number): Float32Array =>
  Float32Array.from({ length: COEFFICIENTS * MAX_SIDE }, (_, index) =>
    factorOf(side, Math.floor(index / MAX_SIDE), index % MAX_SIDE),
  );

/** The matrices for blocks of 1 to 16 samples, 512 bytes each, in the form of `startRows`. */
export const MATRICES = new Uint8Array(MAX_SIDE * MATRIX_BYTES);
for (let side = 1; side <= MAX_SIDE; side++) {
  const matrix = side < COEFFICIENTS ? pairsFor(side) : floatsFor(side);
  MATRICES.set(new Uint8Array(matrix.buffer), (side - 1) * MATRIX_BYTES);
}
