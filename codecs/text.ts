/** Draws a few lines of text, for watermarks. Worker side. */
import { invalidParameter } from '../base/failure.ts';
import { FONT_FAMILY, FONT_WEIGHT, type Font, loadFont } from './font.ts';
import { type Drawing, withDrawing } from './resvg.ts';
import type { Size } from './size.ts';

export interface TextOptions {
  /** Lines separated by `\n`. */
  text: string;
  /** `#rrggbb` */
  color: string;
  /** Width of the longest line in pixels. */
  width: number;
  /** Largest height in pixels. */
  maxHeight: number;
}

export interface TextImage extends Size {
  /** RGBA, 8 bits, not premultiplied; every pixel has the colour of the text. */
  data: Uint8Array;
  /** The text was too high at the requested width, so it is smaller. */
  shrunk: boolean;
}

const MAX_LINES = 3;
/** The character for missing glyphs. The font lacks it too, so it is drawn as the font's box for missing glyphs. */
const MISSING = '□';

const FONT_SIZE = 100;
const LINE_HEIGHT = 1.25 * FONT_SIZE;

/**
 * Draws `text` without margins: the image is cropped to the visible text. Lines are centred.
 *
 * @param module passed to {@link withDrawing}
 * @throws Failure `invalid_parameter` naming `watermark_text`: too many lines, or no visible text
 */
export async function renderText(options: TextOptions, module?: WebAssembly.Module): Promise<TextImage> {
  const lines = linesOf(options.text);
  const font = await loadFont();
  const drawable = lines.map((line) => drawableLine(line, font));
  if (drawable.every((line) => line.trim() === '')) {
    throw invalidParameter('at least one visible character', 'watermark_text', options.text);
  }
  return draw(svgOf(drawable), font, options, module);
}

function linesOf(text: string): string[] {
  const lines = text.split(/\r\n|[\n\v\f\r\u0085\u2028\u2029]/).map((line) => line.replaceAll('\t', ' ').trim());
  while (lines.at(0) === '') lines.shift();
  while (lines.at(-1) === '') lines.pop();
  if (lines.length > MAX_LINES) throw invalidParameter(`at most ${MAX_LINES} lines`, 'watermark_text', text);
  return lines;
}

const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' });

/**
 * Returns the line as it can be drawn. Each character (as people count them) that the font lacks becomes a box.
 * Characters without a shape (control characters, direction marks, joiners) are dropped.
 */
function drawableLine(line: string, { codePoints }: Font): string {
  const characters = Array.from(graphemes.segment(line), ({ segment }) => {
    const visible = segment.replace(/[\p{Cc}\p{Default_Ignorable_Code_Point}]/gu, '');
    return Array.from(visible).every((character) => codePoints.has(character.codePointAt(0)!)) ? visible : MISSING;
  });
  return characters.join('');
}

// White, because resvg returns premultiplied colours and only the coverage is used.
function svgOf(lines: readonly string[]): string {
  const texts = lines.map((line, index) => `<text y="${index * LINE_HEIGHT}">${escaped(line)}</text>`);
  const style = `font-family="${FONT_FAMILY}" font-weight="${FONT_WEIGHT}" font-size="${FONT_SIZE}" text-anchor="middle" fill="#fff" xml:space="preserve"`;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"><g ${style}>${texts.join('')}</g></svg>`;
}

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

async function draw(
  svg: string,
  font: Font,
  { color, width, maxHeight }: TextOptions,
  module: WebAssembly.Module | undefined,
): Promise<TextImage> {
  const render = (fitTo: Fit, most?: number) =>
    withDrawing(module, svg, { fitTo, font: { fontBuffers: [font.data] } }, (drawing) =>
      renderInk(drawing, fitTo, most),
    );
  const atWidth = await render({ mode: 'width', value: width }, maxHeight);
  const image = atWidth ?? (await render({ mode: 'height', value: maxHeight }))!;
  return { ...image, data: coloured(image.data, color), shrunk: atWidth === undefined };
}

interface Fit {
  mode: 'width' | 'height';
  value: number;
}

interface Coverage extends Size {
  data: Uint8Array;
}

/** Renders the visible text at the size of `fitTo`, or returns undefined if it would be higher than `maxHeight`. */
function renderInk(drawing: Drawing, fitTo: Fit, maxHeight = Number.POSITIVE_INFINITY): Coverage | undefined {
  const ink = drawing.getBBox();
  try {
    if (!ink) throw new Error('resvg found no ink in the text');
    if (fitTo.mode === 'width' && (ink.height / ink.width) * fitTo.value > maxHeight) return undefined;
    // resvg refuses an image that rounds down to no pixel, such as a long row of dots.
    const pixel = ink[fitTo.mode] / fitTo.value;
    ink.width = Math.max(ink.width, pixel);
    ink.height = Math.max(ink.height, pixel);
    drawing.cropByBBox(ink);
    const image = drawing.render();
    const coverage = { data: image.pixels, width: image.width, height: image.height };
    image.free();
    return coverage;
  } finally {
    ink?.free();
  }
}

/** Replaces white by the colour and keeps the coverage, in place. */
function coloured(pixels: Uint8Array, color: string): Uint8Array {
  const rgb = Number.parseInt(color.slice(-6), 16);
  for (let at = 0; at < pixels.length; at += 4) {
    pixels[at] = rgb >> 16;
    pixels[at + 1] = (rgb >> 8) & 0xff;
    pixels[at + 2] = rgb & 0xff;
  }
  return pixels;
}
