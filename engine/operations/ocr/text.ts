/** From the words that were read to the text as it is answered. */
import type { GreyImage } from '../../../models/text.ts';
import type { RecognisedWord } from './record.ts';
import { meanConfidence, type PlacedWord } from './upright.ts';

/** Whatever is read with less is no writing: the grain of a photograph, a drawing, a stain. Of a line. */
const LEGIBLE = 30;

export interface ReadText {
  text: string;
  /** Mean over the characters, 0 to 100. */
  confidence: number;
  /** With boxes in pixels of the picture as displayed. */
  placed: RecognisedWord[];
}

/** @param size of the picture as displayed, where the words are placed in one that may have been decoded larger or smaller */
export function textOf(
  words: readonly PlacedWord[],
  picture: GreyImage,
  size: { width: number; height: number },
): ReadText {
  const lines = linesOf(words).filter((line) => meanConfidence(line) >= LEGIBLE);
  let text = '';
  for (const [index, line] of lines.entries()) {
    const before = lines[index - 1];
    if (before) text += isApart(before, line) ? '\n\n' : '\n';
    text += line.map((word) => word.text).join(' ');
  }
  const [scaleX, scaleY] = [size.width / picture.width, size.height / picture.height];
  const span = (start: number, length: number, scale: number, most: number): [number, number] => {
    const from = Math.min(most - 1, Math.round(start * scale));
    return [from, Math.max(1, Math.min(most, Math.round((start + length) * scale)) - from)];
  };
  const placed = lines.flatMap((line, index) =>
    line.map(({ text: written, confidence, box }) => {
      const [x, width] = span(box.x, box.width, scaleX, size.width);
      const [y, height] = span(box.y, box.height, scaleY, size.height);
      return { text: written, confidence: Math.round(confidence), x, y, width, height, line: index + 1 };
    }),
  );
  return { text, confidence: Math.round(meanConfidence(lines.flat())), placed };
}

/** Lines further apart than this, from foot to foot and in heights of the higher one, have a blank line between them. */
const APART = 1.75;

/**
 * Blocks that do not stand one below the other, and blocks or paragraphs with room between them: Tesseract starts a
 * paragraph after every line that ends early, and a block in the midst of one.
 */
function isApart(before: Line, line: Line): boolean {
  if (before[0].block === line[0].block && before[0].paragraph === line[0].paragraph) return false;
  const [first, second] = [extentOf(before), extentOf(line)];
  const below = first.left < second.right && second.left < first.right && second.bottom > first.bottom;
  return (
    !below || second.bottom - first.bottom > APART * Math.max(first.bottom - first.top, second.bottom - second.top)
  );
}

/** Where a line stands in what was read. */
function extentOf(words: Line): { left: number; top: number; right: number; bottom: number } {
  return {
    left: Math.min(...words.map(({ left }) => left)),
    top: Math.min(...words.map(({ top }) => top)),
    right: Math.max(...words.map(({ left, width }) => left + width)),
    bottom: Math.max(...words.map(({ top, height }) => top + height)),
  };
}

type Line = [PlacedWord, ...PlacedWord[]];

function linesOf(words: readonly PlacedWord[]): Line[] {
  const lines: Line[] = [];
  for (const word of words) {
    const line = lines.at(-1);
    const [first] = line ?? [];
    const same = first?.block === word.block && first.paragraph === word.paragraph && first.line === word.line;
    if (line && same) line.push(word);
    else lines.push([word]);
  }
  return lines;
}
