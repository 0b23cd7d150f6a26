/** Converts linear light, as stored in OpenEXR, to 16-bit samples of sRGB (IEC 61966-2-1). */

const MAX_SAMPLE = 65_535;
/** The table is indexed by exponent and the upper 11 fraction bits of positive floats: exact to 1 in 4096. */
const DROPPED_FRACTION_BITS = 12;
const FLOATS = 1 << (31 - DROPPED_FRACTION_BITS);

function encode(light: number): number {
  if (!(light > 0)) return 0;
  if (light >= 1) return MAX_SAMPLE;
  return Math.round(MAX_SAMPLE * (light <= 0.0031308 ? 12.92 * light : 1.055 * light ** (1 / 2.4) - 0.055));
}

let table: Uint16Array | undefined;
const float = new Float32Array(1);
const bits = new Uint32Array(float.buffer);

function makeTable(): Uint16Array {
  const made = new Uint16Array(FLOATS);
  for (let index = 0; index < FLOATS; index++) {
    // Encodes the middle of the floats that share the entry.
    bits[0] = index * 2 ** DROPPED_FRACTION_BITS + 2 ** (DROPPED_FRACTION_BITS - 1);
    made[index] = encode(float[0]!);
  }
  return made;
}

/** Converts a value. Values brighter than white become white. */
export function toSrgb(light: number): number {
  table ??= makeTable();
  if (!(light > 0)) return 0;
  if (light >= 1) return MAX_SAMPLE;
  float[0] = light;
  return table[bits[0]! >>> DROPPED_FRACTION_BITS]!;
}

export const toAlpha = (alpha: number): number =>
  alpha > 0 ? Math.min(MAX_SAMPLE, Math.round(alpha * MAX_SAMPLE)) : 0;

let halves: Float32Array | undefined;

/** Returns all half-precision numbers by their bits (IEEE 754, binary16). */
export function halfTable(): Float32Array {
  halves ??= Float32Array.from({ length: 1 << 16 }, (_, half) => {
    const exponent = (half >> 10) & 31;
    const fraction = half & 1023;
    const size =
      exponent === 0
        ? fraction * 2 ** -24
        : exponent === 31
          ? fraction
            ? Number.NaN
            : Infinity
          : (1 + fraction / 1024) * 2 ** (exponent - 15);
    return half >> 15 ? -size : size;
  });
  return halves;
}
