/**
 * Pages of text for tests and for the table in docs/models.md, and the distance between recognised and written text.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { withDrawing } from '../../../codecs/resvg.ts';
import type { RawImage } from '../../support/test-images.ts';

export interface Typeface {
  family: string;
  /** Path of a TrueType or OpenType file. */
  file: string;
}

export const NOTO_SANS: Typeface = {
  family: 'Noto Sans',
  file: createRequire(import.meta.url).resolve('@expo-google-fonts/noto-sans/400Regular/NotoSans_400Regular.ttf'),
};

export interface PageStyle {
  typeface?: Typeface;
  /** Pixels per em. */
  size?: number;
  ink?: string;
  /** `none` is transparent. */
  paper?: string;
}

/** Text with most letters, digits and punctuation marks of its language. */
export const SAMPLES = {
  eng: [
    'The quick brown fox jumps over the lazy dog.',
    'Invoice 2048 of 17 March: total $1,356.90, paid.',
    'Packaging weighs 12.5 kg (net) & ships Friday;',
    'questions? Call Jane Westbrook at extension 734.',
  ],
  slv: [
    'Češnje, šparglji in žafran rastejo ob cesti.',
    'Račun številka 2048 z dne 17. marca: 1.356,90 EUR.',
    'Žiga je včeraj šel čez most, da bi kupil kruh.',
    'Naša šola ima dvajset učencev iz Maribora.',
  ],
} as const;

const LINE_HEIGHT = 1.4;

/** Returns the left edge and the baseline of a line's first letter. */
export const lineStart = (size: number, line: number): [number, number] => [
  size,
  Math.round(size * (1.6 + line * LINE_HEIGHT)),
];

/** Draws lines of text as RGBA, with a margin of one em. */
export async function drawPage(
  lines: readonly string[],
  { typeface = NOTO_SANS, size = 24, ink = '#000', paper = '#fff' }: PageStyle = {},
): Promise<RawImage> {
  const width = Math.round(Math.max(...lines.map(({ length }) => length)) * size * 0.66 + 2 * size);
  const height = Math.round(size * (LINE_HEIGHT * lines.length + 1.6));
  const texts = lines.map((line, index) => {
    const [x, y] = lineStart(size, index);
    return `<text x="${x}" y="${y}">${line.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</text>`;
  });
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><rect width="100%" height="100%" fill="${paper}"/><g font-family="${typeface.family}" font-size="${size}" fill="${ink}" xml:space="preserve">${texts.join('')}</g></svg>`;
  const fontBuffers = [new Uint8Array(readFileSync(typeface.file))];
  return withDrawing(undefined, svg, { font: { fontBuffers, defaultFontFamily: typeface.family } }, (drawing) => {
    const image = drawing.render();
    const data = unpremultiply(Buffer.from(image.pixels));
    image.free();
    return { data, width, height, channels: 4 };
  });
}

/** Divides colours by alpha, because resvg returns premultiplied colours. */
function unpremultiply(data: Buffer): Buffer {
  for (let at = 0; at < data.length; at += 4) {
    const alpha = data[at + 3]!;
    if (alpha === 0 || alpha === 255) continue;
    for (let channel = at; channel < at + 3; channel++) data[channel] = Math.round((data[channel]! * 255) / alpha);
  }
  return data;
}

const normaliseWhitespace = (text: string): string => text.normalize('NFC').replace(/\s+/g, ' ').trim();

/**
 * Returns the number of characters to insert, delete or replace to turn the recognised text into the written text (V.
 * Levenshtein, 1965). Any white space counts as one space.
 * @param part whether only part of the page is transcribed; text before and after it is then no error
 */
export function editDistance(read: string, written: string, part = false): number {
  const [rows, columns] = [[...normaliseWhitespace(written)], [...normaliseWhitespace(read)]];
  let above = Uint32Array.from({ length: columns.length + 1 }, (_, column) => (part ? 0 : column));
  for (const [row, character] of rows.entries()) {
    const here = new Uint32Array(columns.length + 1);
    here[0] = row + 1;
    for (let column = 1; column <= columns.length; column++) {
      const replaced = above[column - 1]! + (columns[column - 1] === character ? 0 : 1);
      here[column] = Math.min(replaced, above[column]! + 1, here[column - 1]! + 1);
    }
    above = here;
  }
  return part ? above.reduce((least, errors) => Math.min(least, errors)) : above.at(-1)!;
}

/** Returns the number of wrong characters as a share of the written ones. */
export function characterErrorRate(read: string, written: string): number {
  return editDistance(read, written) / [...normaliseWhitespace(written)].length;
}
