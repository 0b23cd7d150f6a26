/** Draws a few lines of text, for watermarks. Worker side. */

import { invalidParameter } from '../../base/failure.ts';
import type { Size } from '../../base/geometry.ts';
import { type Drawing, renderDrawing, withDrawing } from '../resvg.ts';
import { EM } from './fonts.ts';
import { type LineLayout, layoutLine, type PlacedGlyph } from './layout.ts';
import { regionOf } from './region.ts';

export interface TextOptions {
  /** Lines separated by `\n`. */
  text: string;
  /** `#rrggbb`; glyphs with colours of their own, such as emoji, keep them. */
  color: string;
  /** A line around the glyphs that have no colours of their own; `width` in percent of the font size. */
  outline?: { color: string; width: number } | undefined;
  /** Width of the longest line in pixels. */
  width: number;
  /** Largest height in pixels. */
  maxHeight: number;
}

export interface TextImage extends Size {
  /** RGBA, 8 bits, not premultiplied. */
  data: Uint8Array;
  /** The text was too high at the requested width, so it is smaller. */
  shrunk: boolean;
  /** No font has one of the characters; a box stands for it. */
  isMissingGlyphs: boolean;
}

const MAX_LINES = 3;
/** Distance between baselines. More where the letters of two lines would meet, such as those of Thai with marks. */
const LINE_HEIGHT = 1.25 * EM;
/** Smallest gap between the letters of two lines. */
const LINE_GAP = 0.1 * EM;

/**
 * Draws `text` without margins: the image is cropped to the visible text. Lines are centred.
 *
 * @param module passed to {@link withDrawing}
 * @throws Failure `invalid_parameter` naming `watermark_text`: too many lines, or no visible text
 */
export async function renderText(options: TextOptions, module?: WebAssembly.Module): Promise<TextImage> {
  const { text } = options;
  const lines = linesOf(text);
  if (!/[^\s\p{Default_Ignorable_Code_Point}]/u.test(lines.join(''))) throw invisible(text);
  const region = regionOf(text);
  const layouts: LineLayout[] = [];
  for (const line of lines) layouts.push(await layoutLine(line, region));
  const image = await draw(svgOf(layouts, options), options, module);
  const hasOneColour = !options.outline && layouts.every(({ glyphs }) => glyphs.every(({ font }) => !font.colour));
  if (hasOneColour) paintAll(image.data, options.color);
  return { ...image, isMissingGlyphs: layouts.some(({ isMissingGlyphs }) => isMissingGlyphs) };
}

const invisible = (text: string) => invalidParameter('at least one visible character', 'watermark_text', text);

function linesOf(text: string): string[] {
  const lines = text.split(/\r\n|[\n\v\f\r\u0085\u2028\u2029]/).map((line) =>
    line
      .replaceAll('\t', ' ')
      .replace(/\p{Cc}/gu, '')
      .trim(),
  );
  while (lines.at(0) === '') lines.shift();
  while (lines.at(-1) === '') lines.pop();
  if (lines.length > MAX_LINES) throw invalidParameter(`at most ${MAX_LINES} lines`, 'watermark_text', text);
  return lines;
}

function svgOf(lines: readonly LineLayout[], { color, outline }: TextOptions): string {
  const pitch = Math.max(LINE_HEIGHT, ...lines.slice(1).map(({ top }, index) => lines[index]!.bottom + top + LINE_GAP));
  const glyphs = lines.flatMap((line, index) =>
    line.glyphs.map((placed) => ({ ...placed, x: placed.x - line.width / 2, y: index * pitch - placed.y })),
  );
  const plain = glyphs.filter(({ font }) => !font.colour).map(pathOf);
  const coloured = glyphs.filter(({ font }) => font.colour).map(colouredGlyph);
  const stroke =
    outline &&
    `<use xlink:href="#text" fill="none" stroke="${outline.color}" stroke-width="${(2 * EM * outline.width) / 100}" stroke-linejoin="round"/>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="1" height="1"><defs><g id="text">${plain.join('')}</g></defs>${
    // Below all glyphs, so that it never covers the one before in a word of joined letters.
    stroke ?? ''
  }<use xlink:href="#text" fill="${color}"/>${coloured.join('')}</svg>`;
}

const pathOf = ({ font, glyph, x, y }: PlacedGlyph): string =>
  `<path transform="matrix(1 0 0 -1 ${x} ${y})" d="${font.shaper.glyphToPath(glyph)}"/>`;

const colouredGlyph = ({ font, glyph, x, y }: PlacedGlyph, index: number): string =>
  `<g transform="translate(${x} ${y})">${font.colour!(glyph, `${index}-`) ?? ''}</g>`;

async function draw(
  svg: string,
  { text, width, maxHeight }: TextOptions,
  module: WebAssembly.Module | undefined,
): Promise<Omit<TextImage, 'isMissingGlyphs'>> {
  const render = (fitTo: Fit, most?: number) =>
    withDrawing(module, svg, { fitTo }, (drawing) => renderInk(drawing, text, fitTo, most));
  const atWidth = await render({ mode: 'width', value: width }, maxHeight);
  const image = atWidth ?? (await render({ mode: 'height', value: maxHeight }))!;
  return { ...image, shrunk: atWidth === undefined };
}

interface Fit {
  mode: 'width' | 'height';
  value: number;
}

/** Renders the visible text at the size of `fitTo`, or returns undefined if it would be higher than `maxHeight`. */
function renderInk(drawing: Drawing, text: string, fitTo: Fit, maxHeight = Number.POSITIVE_INFINITY) {
  const ink = drawing.getBBox();
  // The blank of Braille and some others are neither spaces nor seen.
  if (!ink) throw invisible(text);
  try {
    if (fitTo.mode === 'width' && (ink.height / ink.width) * fitTo.value > maxHeight) return undefined;
    // resvg refuses an image that rounds down to no pixel, such as a long row of dots.
    const pixel = ink[fitTo.mode] / fitTo.value;
    ink.width = Math.max(ink.width, pixel);
    ink.height = Math.max(ink.height, pixel);
    drawing.cropByBBox(ink);
    return renderDrawing(drawing);
  } finally {
    ink.free();
  }
}

/** Sets every colour and keeps the alpha: resvg rounds the colours of pixels that are hardly covered. */
function paintAll(pixels: Uint8Array, color: string): void {
  const rgb = Number.parseInt(color.slice(-6), 16);
  for (let at = 0; at < pixels.length; at += 4) {
    pixels[at] = rgb >> 16;
    pixels[at + 1] = (rgb >> 8) & 0xff;
    pixels[at + 2] = rgb & 0xff;
  }
}
