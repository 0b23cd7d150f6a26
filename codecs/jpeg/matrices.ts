/** What turns the coefficients of a row or column into another number of samples than 8: "scaled decoding". */

const COEFFICIENTS = 8;
const MAX_SIDE = 16;
/** Of the integers below: their unit is 2^13. */
const FRACTION = 2 ** 13;
/** Of a matrix, in bytes. */
const MATRIX_BYTES = COEFFICIENTS * MAX_SIDE * Float32Array.BYTES_PER_ELEMENT;

/**
 * What a coefficient adds to a sample of `side` samples, as in the inverse transform of the lowest of as many coefficients (ITU-T T.81,
 * A.3.3); 1 for the first coefficient.
 */
function factorOf(side: number, coefficient: number, sample: number): number {
  if (coefficient >= side || sample >= side) return 0;
  return coefficient === 0 ? 1 : Math.SQRT2 * Math.cos(((2 * sample + 1) * coefficient * Math.PI) / (2 * side));
}

/** For up to 7 samples: integers of 16 bits, of two coefficients in turn, by sample (8 of them), by pair of coefficients. */
function pairsFor(side: number): Int16Array {
  return Int16Array.from({ length: COEFFICIENTS * COEFFICIENTS }, (_, index) => {
    const coefficient = ((index >> 4) << 1) | (index & 1);
    return Math.round(factorOf(side, coefficient, (index >> 1) & 7) * FRACTION);
  });
}

/** For more: floats, by coefficient, then by sample (16 of them). */
function floatsFor(side: number): Float32Array {
  return Float32Array.from({ length: COEFFICIENTS * MAX_SIDE }, (_, index) =>
    factorOf(side, Math.floor(index / MAX_SIDE), index % MAX_SIDE),
  );
}

/** The matrices for blocks of 1 to 16 samples, 512 bytes each, as `startRows` takes them. */
export const MATRICES = new Uint8Array(MAX_SIDE * MATRIX_BYTES);
for (let side = 1; side <= MAX_SIDE; side++) {
  const matrix = side < COEFFICIENTS ? pairsFor(side) : floatsFor(side);
  MATRICES.set(new Uint8Array(matrix.buffer), (side - 1) * MATRIX_BYTES);
}
