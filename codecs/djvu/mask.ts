/** Bitonal pictures, packed: a page's mask, a shape of a character. */

/** Rows from top to bottom. Pixel x is bit x mod 32 of word x / 32 of its row, the least significant first; 1 is black. */
export interface Mask {
  width: number;
  height: number;
  /** Words of a row. */
  stride: number;
  words: Int32Array;
}

export function createMask(width: number, height: number): Mask {
  const stride = Math.ceil(width / 32);
  return { width, height, stride, words: new Int32Array(stride * height) };
}

/** Blackens the pixels of `mask` that are black in `shape` when its top left corner is at `left`, `top`; what lies outside is cut off. */
export function stamp(mask: Mask, shape: Mask, left: number, top: number): void {
  const shift = left & 31;
  const firstWord = left >> 5;
  const endRow = Math.min(shape.height, mask.height - top);
  for (let row = Math.max(0, -top); row < endRow; row++) {
    const from = row * shape.stride;
    const to = (top + row) * mask.stride;
    for (let index = 0; index < shape.stride; index++) {
      const word = shape.words[from + index]!;
      if (word === 0) continue;
      const column = firstWord + index;
      if (column >= 0 && column < mask.stride) mask.words[to + column]! |= word << shift;
      if (shift !== 0 && column + 1 >= 0 && column + 1 < mask.stride) {
        mask.words[to + column + 1]! |= word >>> (32 - shift);
      }
    }
  }
}

/** The same picture without its white edges. A wholly white one becomes 0 x 0. */
export function crop(mask: Mask): Mask {
  const { width, height, stride, words } = mask;
  let top = 0;
  let end = height;
  const isBlank = (row: number) => {
    for (let at = row * stride; at < (row + 1) * stride; at++) if (words[at] !== 0) return false;
    return true;
  };
  while (top < end && isBlank(top)) top++;
  while (end > top && isBlank(end - 1)) end--;
  if (top === end) return createMask(0, 0);

  const columns = new Int32Array(stride);
  for (let at = top * stride; at < end * stride; at++) columns[at % stride]! |= words[at]!;
  let first = 0;
  while (columns[first] === 0) first++;
  let last = stride - 1;
  while (columns[last] === 0) last--;
  const left = first * 32 + 31 - Math.clz32(columns[first]! & -columns[first]!);
  const right = last * 32 + 31 - Math.clz32(columns[last]!);
  if (left === 0 && right === width - 1 && top === 0 && end === height) return mask;

  const cropped = createMask(right - left + 1, end - top);
  stamp(cropped, mask, -left, -top);
  return cropped;
}
