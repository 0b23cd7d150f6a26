/** The FGbz chunk: a colour for each shape in the mask (DjVu 3 Specification, 2005, section 8.3.10). */
import { viewOf } from '../../metadata/bytes.ts';
import { expandBzz } from './bzz.ts';
import { MAX_RECORDS } from './jb2.ts';

export interface Palette {
  /** Three bytes per colour: red, green, blue. */
  colours: Uint8Array;
  /** Returns the colour of a shape by its position in the mask. */
  colourOf(placed: number): number;
}

const HAS_INDICES = 0x80;
const HEADER = 3;

/** Reads the chunk; undefined when it is damaged. Missing indices mean the first colour. */
export function readPalette(data: Uint8Array): Palette | undefined {
  if (data.length < HEADER) return undefined;
  const view = viewOf(data);
  const flags = data[0]!;
  const count = view.getUint16(1);
  const end = HEADER + count * 3;
  if ((flags & ~HAS_INDICES) !== 0 || count === 0 || data.length < end) return undefined;
  const colours = new Uint8Array(count * 3);
  for (let at = 0; at < colours.length; at += 3) {
    // Stored with blue first.
    colours[at] = data[HEADER + at + 2]!;
    colours[at + 1] = data[HEADER + at + 1]!;
    colours[at + 2] = data[HEADER + at]!;
  }
  if ((flags & HAS_INDICES) === 0 || data.length < end + 3) return { colours, colourOf: () => 0 };

  const shapes = (data[end]! << 16) | view.getUint16(end + 1);
  if (shapes > MAX_RECORDS) return undefined;
  const indices = viewOf(expandBzz(data.subarray(end + 3), shapes * 2));
  return {
    colours,
    colourOf: (placed) => {
      const index = placed * 2 + 2 <= indices.byteLength ? indices.getUint16(placed * 2) : 0;
      return index < count ? index : 0;
    },
  };
}
