/** Returns sixteen times the binary logarithm, linear between powers of two; 0 for 0. */
export function log16(value: u32): u32 {
  if (value === 0) return 0;
  const whole = 31 - clz<u32>(value);
  return (whole << 4) + (((value << (31 - whole)) >> 27) & 15);
}
