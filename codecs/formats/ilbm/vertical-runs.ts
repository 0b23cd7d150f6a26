/**
 * Expands the compression of Deluxe Paint on the Atari ST: each plane is a VDAT chunk of 16-bit words that run down the
 * columns, with a list of commands in front ("VDAT" in D. Baggett et al., "ST Picture Formats").
 */
import { viewOf } from '../../metadata/bytes.ts';
import { readChunks } from './chunks.ts';

const LITERAL_COUNT_FOLLOWS = 0;
const RUN_COUNT_FOLLOWS = 1;

/** Expands to interleaved rows of planes. Missing data are 0. */
export function expandVertical(body: Uint8Array, size: number, rowBytes: number, height: number): Uint8Array {
  const bytes = new Uint8Array(size);
  const rowStep = size / height;
  let plane = 0;
  for (const { id, data } of readChunks(body)) {
    if (id !== 'VDAT' || (plane + 1) * rowBytes > rowStep) break;
    expandPlane(data, bytes, plane * rowBytes, { rowStep, rowBytes, height });
    plane++;
  }
  return bytes.subarray(0, plane === 0 ? 0 : size);
}

interface Shape {
  rowStep: number;
  rowBytes: number;
  height: number;
}

function expandPlane(data: Uint8Array, out: Uint8Array, start: number, { rowStep, rowBytes, height }: Shape): void {
  if (data.length < 2) return;
  const view = viewOf(data);
  const wordsAt = Math.min(view.getUint16(0), data.length);
  const words = (rowBytes / 2) * height;
  let read = wordsAt;
  let written = 0;
  for (let command = 2; command < wordsAt && written < words; command++) {
    const code = view.getInt8(command);
    let count = Math.abs(code);
    if (code === LITERAL_COUNT_FOLLOWS || code === RUN_COUNT_FOLLOWS) {
      if (read + 2 > data.length) return;
      count = view.getUint16(read);
      read += 2;
    }
    const literal = code <= LITERAL_COUNT_FOLLOWS;
    for (let i = 0; i < count && written < words && read + 2 <= data.length; i++, written++) {
      const at = start + (written % height) * rowStep + Math.floor(written / height) * 2;
      out[at] = data[read]!;
      out[at + 1] = data[read + 1]!;
      if (literal) read += 2;
    }
    if (!literal) read += 2;
  }
}
