/** Lays out one line of text: chooses fonts, orders by direction, and shapes. Worker side. */
import bidiModule, { type Bidi } from 'bidi-js';
import { DRAWN_SCRIPTS, EM, type Font, fontsFor, loadLatin, type Region } from './fonts.ts';
import { loadHarfBuzz } from './harfbuzz.ts';

/** A glyph at its place. Units of {@link EM}, x to the right from the start of the line, y upwards from the baseline. */
export interface PlacedGlyph {
  font: Font;
  glyph: number;
  x: number;
  y: number;
}

export interface LineLayout {
  glyphs: PlacedGlyph[];
  width: number;
  /** How far the line reaches above and below its baseline. */
  top: number;
  bottom: number;
  /** Whether no font has one of its characters. */
  isMissingGlyphs: boolean;
}

/** Part of a line that is shaped at once. Offsets and lengths in UTF-16 units. */
interface Run {
  start: number;
  length: number;
  /** Undefined: characters that no font has. */
  font: Font | undefined;
  script: string | undefined;
  /** Embedding level of the Unicode Bidirectional Algorithm; odd levels run from right to left. */
  level: number;
}

/** @param region for the characters that several regions draw differently */
export async function layoutLine(line: string, region: Region): Promise<LineLayout> {
  const runs = await splitRuns(line, region);
  const glyphs: PlacedGlyph[] = [];
  const [latin, shape] = await Promise.all([loadLatin(), createShaper()]);
  let x = 0;
  for (const run of inVisualOrder(runs)) {
    // A character without a font is the box that the font of Latin has as glyph 0.
    const shaped = run.font
      ? shape(run.font, line, run)
      : [{ font: latin, glyph: 0, x: 0, y: 0, advance: latin.shaper.glyphHAdvance(0) }];
    for (const { advance, ...placed } of shaped) {
      glyphs.push({ ...placed, x: x + placed.x });
      x += advance;
    }
  }
  const isMissingGlyphs = runs.some(({ font }) => font === undefined);
  return { glyphs, width: x, ...verticalExtent(glyphs), isMissingGlyphs };
}

const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' });
/** Its type declares an ES module, and Node finds a CommonJS one. */
const createBidi = bidiModule as unknown as () => Bidi;

let bidi: Bidi | undefined;

/** Splits the line where the font, the script or the direction changes, in the order of the text. */
async function splitRuns(line: string, region: Region): Promise<Run[]> {
  bidi ??= createBidi();
  const { levels } = bidi.getEmbeddingLevels(line);
  const runs: Run[] = [];
  for (const { segment, index } of graphemes.segment(line)) {
    const last = runs.at(-1);
    const visible = segment.replace(/\p{Default_Ignorable_Code_Point}/gu, '');
    // Joiners and marks of direction have no shape, so any font can take them.
    const font = visible === '' && last ? last.font : await findFont(segment, visible, region);
    const script = scriptOf(segment) ?? last?.script;
    const level = levels[index]!;
    if (font && last?.font === font && last.level === level && last.script === script) last.length += segment.length;
    else runs.push({ start: index, length: segment.length, font, script, level });
  }
  return runs;
}

/** An emoji that is drawn in colour: by itself, by the selector U+FE0F, or by a colour of skin ("Unicode Emoji", 1.4). */
const EMOJI = /^(?:\p{Emoji_Presentation}|\p{Emoji}\uFE0F|\p{Emoji_Modifier_Base}\p{Emoji_Modifier})/u;

/** Finds a font for a character as people count them, such as a letter with its accents or an emoji of several parts. */
async function findFont(segment: string, visible: string, region: Region): Promise<Font | undefined> {
  const wanted = { isEmoji: EMOJI.test(segment), region };
  // A composed character may be in a font that lacks the mark alone, and the other way round.
  for (const form of visible === '' ? [' '] : new Set([visible, visible.normalize('NFC'), visible.normalize('NFD')])) {
    const codePoints = Array.from(form, (character) => character.codePointAt(0)!);
    const fonts = await fontsFor(codePoints, wanted);
    if (fonts.length < 2) {
      if (fonts[0]) return fonts[0];
      continue;
    }
    // Several parts of the font of emoji have a man and a rocket; one of them has the astronaut.
    const shape = await createShaper();
    const run = { start: 0, length: segment.length, script: undefined, level: 0 };
    const counted = fonts.map((font) => ({ font, count: shape(font, segment, run).length }));
    return counted.reduce((best, each) => (each.count < best.count ? each : best)).font;
  }
  return undefined;
}

const SCRIPT_PATTERNS = DRAWN_SCRIPTS.map((script) => [script, new RegExp(`^\\p{Script=${script}}`, 'u')] as const);

/** The script of the first character; undefined for characters of several scripts, which belong to those around them. */
const scriptOf = (segment: string): string | undefined =>
  SCRIPT_PATTERNS.find(([, pattern]) => pattern.test(segment))?.[0];

/** Reverses what runs from right to left (rule L2 of the Unicode Bidirectional Algorithm). */
function inVisualOrder(runs: readonly Run[]): Run[] {
  const ordered = [...runs];
  const highest = Math.max(0, ...runs.map(({ level }) => level));
  for (let level = highest; level > 0; level--) {
    for (let start = 0; start < ordered.length; start++) {
      let end = start;
      while (end < ordered.length && ordered[end]!.level >= level) end++;
      ordered.splice(start, end - start, ...ordered.slice(start, end).reverse());
      start = Math.max(start, end - 1);
    }
  }
  return ordered;
}

type ShapedGlyph = PlacedGlyph & { advance: number };

async function createShaper() {
  const { Buffer, Direction, shape } = await loadHarfBuzz();
  return (font: Font, line: string, { start, length, level }: Pick<Run, 'start' | 'length' | 'level'>) => {
    const buffer = new Buffer();
    // With the text around it, because the form of an Arabic letter depends on its neighbours.
    buffer.addText(line, start, length);
    buffer.setDirection(level % 2 === 1 ? Direction.RTL : Direction.LTR);
    buffer.guessSegmentProperties();
    shape(font.shaper, buffer);
    return buffer.getGlyphInfosAndPositions().map(
      ({ codepoint, xAdvance = 0, xOffset = 0, yOffset = 0 }): ShapedGlyph => ({
        ...{ font, glyph: codepoint, x: xOffset, y: yOffset, advance: xAdvance },
      }),
    );
  };
}

function verticalExtent(glyphs: readonly PlacedGlyph[]): { top: number; bottom: number } {
  let [top, bottom] = [0, 0];
  for (const { font, glyph, y } of glyphs) {
    const { ascender, descender } = font.shaper.hExtents();
    const ink = font.shaper.glyphExtents(glyph);
    // The outlines of coloured glyphs are empty.
    top = Math.max(top, font.colour ? ascender : y + (ink?.yBearing ?? 0));
    bottom = Math.max(bottom, font.colour ? -descender : -y - (ink ? ink.yBearing + ink.height : 0));
  }
  return { top, bottom };
}
