/** PackBits, the run-length code of the Macintosh Toolbox that PSD and TIFF use (TIFF 6.0, section 9). */
import type { Samples } from '../../samples.ts';

const MAX_PACKET_PIXELS = 128;
/** A repeat of two that interrupts a literal packet costs as much as it saves. */
const MIN_REPEAT = 3;

export interface PackedPlane {
  /** Packed bytes of each row. */
  counts: Uint16Array;
  packed: Uint8Array;
}

/** Packs one channel row by row. A packed row must stay below 64 KiB, which rows of up to 65,000 samples do. */
export function packPlane({ data, width, height, channels }: Samples, channel: number): PackedPlane {
  const longestRow = width + Math.ceil(width / MAX_PACKET_PIXELS);
  const packed = new Uint8Array(longestRow * height);
  const counts = new Uint16Array(height);
  const row = new Uint8Array(width);
  let end = 0;
  for (let y = 0, read = channel; y < height; y++) {
    for (let x = 0; x < width; x++, read += channels) row[x] = data[read]!;
    const start = end;
    end = packRow(row, packed, start);
    counts[y] = end - start;
  }
  return { counts, packed: packed.slice(0, end) };
}

/** Writes the packets of one row at `at` and returns the offset after them. */
function packRow(row: Uint8Array, packed: Uint8Array, at: number): number {
  const width = row.length;
  let end = at;
  for (let x = 0; x < width; ) {
    const value = row[x]!;
    const packetEnd = Math.min(width, x + MAX_PACKET_PIXELS);
    let next = x + 1;
    while (next < packetEnd && row[next] === value) next++;
    if (next - x >= MIN_REPEAT) {
      packed[end++] = 257 - (next - x);
      packed[end++] = value;
    } else {
      while (next < packetEnd && !(row[next] === row[next + 1] && row[next] === row[next + 2])) next++;
      packed[end++] = next - x - 1;
      packed.set(row.subarray(x, next), end);
      end += next - x;
    }
    x = next;
  }
  return end;
}
