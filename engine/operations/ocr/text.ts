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

/** Two blocks, or two paragraphs with room between them: Tesseract starts one after every line that ends early. */
function isApart(before: Line, line: Line): boolean {
  if (before[0].block !== line[0].block) return true;
  if (before[0].paragraph === line[0].paragraph) return false;
  const top = ({ top: y }: PlacedWord) => y;
  const foot = ({ top: y, height }: PlacedWord) => y + height;
  const [first, second] = [before, line].map((words) => {
    const bottom = Math.max(...words.map(foot));
    return { bottom, height: bottom - Math.min(...words.map(top)) };
  }) as [{ bottom: number; height: number }, { bottom: number; height: number }];
  return second.bottom - first.bottom > APART * Math.max(first.height, second.height);
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
