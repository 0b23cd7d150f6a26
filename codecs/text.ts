/** Draws a line or a few of text, for watermarks. Worker side. */
import { invalidParameter } from '../base/failure.ts';
import { FONT_FAMILY, FONT_WEIGHT, type Font, loadFont } from './font.ts';
import { type Drawing, withDrawing } from './resvg.ts';

export interface TextOptions {
  /** Lines separated by `\n`. */
  text: string;
  /** `#rrggbb` */
  color: string;
  /** Pixels that the longest line takes. */
  width: number;
  /** Most pixels from top to bottom. */
  maxHeight: number;
}

export interface TextImage {
  /** RGBA, 8 bits, not premultiplied; every pixel has the colour of the text. */
  data: Uint8Array;
  width: number;
  height: number;
  /** It was too high at the wanted width. */
  shrunk: boolean;
}

const MAX_LINES = 3;
/** Drawn as the font's own box for what it lacks, because it lacks this one too. */
const MISSING = '□';

const FONT_SIZE = 100;
const LINE_HEIGHT = 1.25 * FONT_SIZE;

/**
 * Draws `text` without margins: the picture ends where the ink ends. Lines are centred under each other.
 *
 * @param module as {@link withDrawing} takes it
 * @throws Failure `invalid_parameter` naming `watermark_text`: too many lines, or nothing visible in them
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
 * The line as it can be drawn. What the font lacks becomes a box, one for each character as people count them; what has no
 * shape of its own (control characters, marks of direction, joiners) is dropped.
 */
function drawableLine(line: string, { codePoints }: Font): string {
  const characters = Array.from(graphemes.segment(line), ({ segment }) => {
    const visible = segment.replace(/[\p{Cc}\p{Default_Ignorable_Code_Point}]/gu, '');
    return Array.from(visible).every((character) => codePoints.has(character.codePointAt(0)!)) ? visible : MISSING;
  });
  return characters.join('');
}

// White, because resvg answers premultiplied colours: only the coverage is taken from it.
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
    withDrawing(module, svg, { fitTo, font: { fontBuffers: [font.data] } }, (drawing) => inkOf(drawing, fitTo, most));
  const atWidth = await render({ mode: 'width', value: width }, maxHeight);
  const image = atWidth ?? (await render({ mode: 'height', value: maxHeight }))!;
  return { ...image, data: coloured(image.data, color), shrunk: atWidth === undefined };
}

interface Fit {
  mode: 'width' | 'height';
  value: number;
}

interface Coverage {
  data: Uint8Array;
  width: number;
  height: number;
}

/** The ink as large as `fitTo` says, or nothing where that makes it higher than `maxHeight`. */
function inkOf(drawing: Drawing, fitTo: Fit, maxHeight = Number.POSITIVE_INFINITY): Coverage | undefined {
  const ink = drawing.getBBox();
  try {
    if (!ink) throw new Error('resvg found no ink in the text');
    if (fitTo.mode === 'width' && (ink.height / ink.width) * fitTo.value > maxHeight) return undefined;
    // resvg refuses a picture that rounds down to no pixel, such as a long row of dots.
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

/** Turns white of some coverage into the colour of the same coverage, in place. */
function coloured(pixels: Uint8Array, color: string): Uint8Array {
  const rgb = Number.parseInt(color.slice(-6), 16);
  for (let at = 0; at < pixels.length; at += 4) {
    pixels[at] = rgb >> 16;
    pixels[at + 1] = (rgb >> 8) & 0xff;
    pixels[at + 2] = rgb & 0xff;
  }
  return pixels;
}
