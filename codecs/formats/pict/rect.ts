/** QuickDraw's rectangles: 16-bit coordinates that lie between the pixels. */
import type { Reader } from '../../metadata/bytes.ts';

export interface Rect {
  top: number;
  left: number;
  bottom: number;
  right: number;
}

export function readRect(reader: Reader, at: number): Rect {
  const [top, left, bottom, right] = [0, 2, 4, 6].map((offset) => signed(reader.u16(at + offset)));
  return { top: top!, left: left!, bottom: bottom!, right: right! };
}

export const signed = (word: number): number => (word << 16) >> 16;
