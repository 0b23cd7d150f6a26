/** Makes the returned text from the recognised words. */
import type { GreyImage } from '../../../models/text.ts';
import type { RecognisedWord } from './record.ts';
import { meanConfidence, type PlacedWord } from './upright.ts';

/** A line with less confidence is not text: the grain of a photo, a drawing, a stain. */
const MIN_LINE_CONFIDENCE = 30;

export interface ReadText {
  text: string;
  /** Mean over the characters, 0 to 100. */
  confidence: number;
  /** With boxes in pixels of the image as displayed. */
  placed: RecognisedWord[];
}

/**
 * @param size of the image as displayed; the words are positioned in one that may have been decoded larger or smaller
 */
export function textOf(
  words: readonly PlacedWord[],
  image: GreyImage,
  size: { width: number; height: number },
): ReadText {
  const lines = linesOf(words).filter((line) => meanConfidence(line) >= MIN_LINE_CONFIDENCE);
  let text = '';
  for (const [index, line] of lines.entries()) {
    const before = lines[index - 1];
    if (before) text += needsBlankLine(before, line) ? '\n\n' : '\n';
    text += line.map((word) => word.text).join(' ');
  }
  const [scaleX, scaleY] = [size.width / image.width, size.height / image.height];
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

/**
 * Maximum distance of lines without a blank line between them: from bottom to bottom, in heights of the taller line.
 */
const MAX_LINE_DISTANCE = 1.75;

/**
 * Whether to separate two lines by a blank line: blocks that are not below each other, and blocks or paragraphs with a
 * gap. Tesseract starts a paragraph after every short line, and a block in the middle of one.
 */
function needsBlankLine(before: Line, line: Line): boolean {
  if (before[0].block === line[0].block && before[0].paragraph === line[0].paragraph) return false;
  const [first, second] = [extentOf(before), extentOf(line)];
  const below = first.left < second.right && second.left < first.right && second.bottom > first.bottom;
  return (
    !below ||
    second.bottom - first.bottom > MAX_LINE_DISTANCE * Math.max(first.bottom - first.top, second.bottom - second.top)
  );
}

/** Bounding box of a line in the image that was read. */
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
