/** Right and bottom are exclusive. */
export interface Rectangle {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

export const areaOf = ({ left, top, right, bottom }: Rectangle): number => (right - left) * (bottom - top);

/** Returns the smallest rectangle outside of which two frames are equal; null when they are equal everywhere. */
export function difference(one: Uint32Array, other: Uint32Array, width: number): Rectangle | null {
  const length = one.length;
  let first = 0;
  while (first < length && one[first] === other[first]) first += 1;
  if (first === length) return null;
  let last = length - 1;
  while (one[last] === other[last]) last -= 1;
  const top = Math.floor(first / width);
  const bottom = Math.floor(last / width) + 1;
  let left = width;
  let right = 0;
  for (let y = top; y < bottom; y += 1) {
    const row = y * width;
    for (let x = 0; x < left; x += 1) if (one[row + x] !== other[row + x]) left = x;
    for (let x = width - 1; x >= right; x -= 1) if (one[row + x] !== other[row + x]) right = x + 1;
  }
  return { left, top, right, bottom };
}
