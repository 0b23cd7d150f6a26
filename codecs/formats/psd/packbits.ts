/** PackBits, the run-length code of the Macintosh Toolbox that PSD and TIFF use (TIFF 6.0, section 9). */
import type { AnySamples } from '../../samples.ts';

const MAX_PACKET_BYTES = 128;
/** A repeat of two that interrupts a literal packet costs as much as it saves. */
const MIN_REPEAT = 3;

export interface PackedPlane {
  /** Packed bytes of each row. */
  counts: Uint16Array;
  packed: Uint8Array;
}

/**
 * Packs one channel row by row, samples of 16 bits big-endian. A packed row must stay below 64 KiB, which rows of up to
 * 65,000 bytes do.
 */
export function packPlane({ data, width, height, channels }: AnySamples, channel: number): PackedPlane {
  const rowBytes = width * data.BYTES_PER_ELEMENT;
  const longestRow = rowBytes + Math.ceil(rowBytes / MAX_PACKET_BYTES);
  const packed = new Uint8Array(longestRow * height);
  const counts = new Uint16Array(height);
  const row = new Uint8Array(rowBytes);
  const view = new DataView(row.buffer);
  const isDeep = data instanceof Uint16Array;
  let end = 0;
  for (let y = 0, read = channel; y < height; y++) {
    for (let x = 0; x < width; x++, read += channels) {
      if (isDeep) view.setUint16(2 * x, data[read]!);
      else row[x] = data[read]!;
    }
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
    const packetEnd = Math.min(width, x + MAX_PACKET_BYTES);
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
