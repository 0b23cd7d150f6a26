/** Adds four 32-bit numbers. */
export function sumOfLanes(numbers: v128): u32 {
  return (
    i32x4.extract_lane(numbers, 0) +
    i32x4.extract_lane(numbers, 1) +
    i32x4.extract_lane(numbers, 2) +
    i32x4.extract_lane(numbers, 3)
  );
}
