/** Costs of decisions, in 1/256 bits. */

/** Cost of a bit by its probability of 256. */
const BIT_COSTS: usize = memory.data(257 * 2, 2);

for (let probability = 0; probability <= 256; probability++) {
  store<u16>(
    BIT_COSTS + ((<usize>probability) << 1),
    <u16>Math.round(-256 * Math.log2(<f64>max(probability, 1) / 256)),
  );
}

/** @param probability that the bit is 0, of 256 */
export function bitCost(bit: i32, probability: i32): i32 {
  return load<u16>(BIT_COSTS + ((<usize>(bit !== 0 ? 256 - probability : probability)) << 1));
}
