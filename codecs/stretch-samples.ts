/**
 * Scales samples of fewer bits to the whole range of their type, in place.
 * @param precision bits that are used
 */
export function stretchSamples<T extends Uint8Array | Uint16Array>(values: T, precision: number): T {
  const container = values.BYTES_PER_ELEMENT * 8;
  if (precision === container) return values;
  const factor = (2 ** container - 1) / (2 ** precision - 1);
  for (let index = 0; index < values.length; index++) values[index] = Math.round(values[index]! * factor);
  return values;
}
