/** Reads images of Tiny Stuff (David Mumper, "Tiny Stuff", 1987; David Baggett, "ST Picture Formats", 1991, "Tiny"). */
import type { Size } from '../../../base/geometry.ts';
import { stillFormat } from '../../legacy/still.ts';
import {
  atariScreen,
  interleaved,
  PALETTE_BYTES,
  RESOLUTIONS,
  type Resolution,
  SCREEN_BYTES,
  shownSize,
} from '../../screens/atari-st.ts';

const WORDS = SCREEN_BYTES / 2;
/** The screen is cut into columns of low-resolution words at any resolution. */
const LINES = 200;
const LINE_WORDS = WORDS / LINES;
const PLANES = 4;
const COLUMNS = LINE_WORDS / PLANES;

/** Added to the resolution when colours are animated. Four bytes with the animation follow. */
const ANIMATED = 3;
const ANIMATION_BYTES = 4;
const MAX_CONTROL_BYTES = 10_667;

interface TinyHeader extends Size {
  resolution: Resolution;
  paletteAt: number;
  controlAt: number;
  controlBytes: number;
  dataWords: number;
}

/** Safe on the main thread. */
export function isTiny(bytes: Uint8Array): boolean {
  const header = readHeader(bytes);
  return header !== undefined && expand(bytes, header) !== undefined;
}

function readHeader(bytes: Uint8Array): TinyHeader | undefined {
  const number = bytes[0] ?? 255;
  const resolution = RESOLUTIONS[number % ANIMATED];
  const paletteAt = 1 + (number >= ANIMATED ? ANIMATION_BYTES : 0);
  const controlAt = paletteAt + PALETTE_BYTES + 4;
  if (!resolution || number >= 2 * ANIMATED || bytes.length < controlAt) return undefined;
  const controlBytes = (bytes[controlAt - 4]! << 8) | bytes[controlAt - 3]!;
  const dataWords = (bytes[controlAt - 2]! << 8) | bytes[controlAt - 1]!;
  if (controlBytes > MAX_CONTROL_BYTES || dataWords > WORDS) return undefined;
  if (controlAt + controlBytes + dataWords * 2 > bytes.length) return undefined;
  return { ...shownSize(resolution), resolution, paletteAt, controlAt, controlBytes, dataWords };
}

/** @returns the screen in the layout of the hardware; undefined when the data do not fill it */
function expand(bytes: Uint8Array, { controlAt, controlBytes, dataWords }: TinyHeader): Uint8Array | undefined {
  const screen = new Uint8Array(SCREEN_BYTES);
  const controlEnd = controlAt + controlBytes;
  const dataEnd = controlEnd + dataWords * 2;
  let data = controlEnd;
  let word = 0;
  for (let control = controlAt; control < controlEnd && word < WORDS; ) {
    const code = bytes[control++]!;
    let count = code < 128 ? code : 256 - code;
    if (code < 2) {
      if (control + 2 > controlEnd) return undefined;
      count = (bytes[control]! << 8) | bytes[control + 1]!;
      control += 2;
    }
    const repeated = code !== 1 && code < 128;
    for (const end = Math.min(WORDS, word + count); word < end; word++) {
      if (data + 2 > dataEnd) return undefined;
      screen.set(bytes.subarray(data, data + 2), screenWord(word) * 2);
      if (!repeated) data += 2;
    }
    if (repeated) data += 2;
  }
  return word === WORDS ? screen : undefined;
}

/**
 * Returns the position of a word. Words run down a column of one plane, then through the next columns, then through the
 * next planes.
 */
function screenWord(word: number): number {
  const line = word % LINES;
  const column = Math.floor(word / LINES) % COLUMNS;
  const plane = Math.floor(word / (LINES * COLUMNS));
  return line * LINE_WORDS + column * PLANES + plane;
}

export const still = stillFormat<TinyHeader>({
  readHeader,
  readPixels(bytes, header) {
    const screen = expand(bytes, header);
    const { resolution, paletteAt } = header;
    return screen && atariScreen(bytes, paletteAt, screen, resolution, interleaved(resolution));
  },
});
