/** The fonts for drawn text: which there are, and how they are loaded. Worker side. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Font as HarfBuzzFont } from 'harfbuzzjs';
import { readDependency } from '../../base/package-file.ts';
import { readSvgGlyphs, type SvgGlyphs } from './colour-glyphs.ts';
import { loadHarfBuzz } from './harfbuzz.ts';
import { type FontTables, readWoff2 } from './woff2.ts';

/** Semi-bold stays legible on a photograph at watermark sizes, and the openings of small letters do not close. */
const WEIGHT = 600;
/** Units per em of all that a loaded font measures, whatever the units of its file. */
export const EM = 1000;

export interface Font {
  /** Scaled to {@link EM}. */
  shaper: HarfBuzzFont;
  /** Whether it has a glyph for the code point. */
  has(codePoint: number): boolean;
  /** Its coloured glyphs, if it has some. */
  colour: SvgGlyphs | undefined;
}

interface FontSource {
  /** Names of scripts in Unicode. */
  scripts: readonly string[];
  /** Whether it is also tried for characters of other scripts and of none, such as punctuation. */
  isFallback?: true;
  /** Loads the fonts of it that may hold all these code points. Empty where the package is not installed. */
  load(codePoints: readonly number[]): Promise<Font[]>;
}

const require = createRequire(import.meta.url);

/** Latin first: it has the punctuation of all scripts. One file, so that accents and kerning work across its scripts. */
const NOTO_SANS = '@expo-google-fonts/noto-sans/600SemiBold/NotoSans_600SemiBold.ttf';
const LATIN: FontSource = {
  scripts: ['Latin', 'Greek', 'Cyrillic', 'Devanagari'],
  isFallback: true,
  load: async () => [await loadLatin()],
};

/** A package of Fontsource: variable fonts, in parts of a few hundred characters for the large scripts. */
const variable = (name: string, scripts: readonly string[], isFallback?: true): FontSource =>
  packaged(`@fontsource-variable/noto-sans-${name}`, `noto-sans-${name}`, 'wght', scripts, isFallback);
const fixed = (name: string): FontSource => packaged(`@fontsource/${name}`, name, '400', [], true);

/** Regional forms of the characters that Chinese, Japanese and Korean share. */
const HAN = ['Han', 'Bopomofo', 'Hiragana', 'Katakana', 'Hangul'];
export type Region = 'simplified' | 'traditional' | 'japanese' | 'korean';
const REGIONS: Readonly<Record<Region, FontSource>> = {
  simplified: variable('sc', HAN, true),
  traditional: variable('tc', HAN, true),
  japanese: variable('jp', HAN, true),
  korean: variable('kr', HAN, true),
};

const SCRIPTS: readonly FontSource[] = [
  LATIN,
  variable('arabic', ['Arabic']),
  variable('hebrew', ['Hebrew']),
  variable('thai', ['Thai']),
  variable('bengali', ['Bengali']),
  variable('tamil', ['Tamil']),
  variable('telugu', ['Telugu']),
  variable('gujarati', ['Gujarati']),
  variable('gurmukhi', ['Gurmukhi']),
  variable('kannada', ['Kannada']),
  variable('malayalam', ['Malayalam']),
  variable('sinhala', ['Sinhala']),
  variable('khmer', ['Khmer']),
  variable('lao', ['Lao']),
  variable('myanmar', ['Myanmar']),
  variable('georgian', ['Georgian']),
  variable('armenian', ['Armenian']),
  variable('ethiopic', ['Ethiopic']),
  variable('symbols', [], true),
  fixed('noto-sans-symbols-2'),
];
const EMOJI = fixed('noto-color-emoji');

/** The scripts that have a font. */
export const DRAWN_SCRIPTS: readonly string[] = [...SCRIPTS.flatMap(({ scripts }) => scripts), ...HAN];

/**
 * Returns the fonts that have all of these code points, of the first source in which there is one: first those of the
 * script, then the others. Only the files that may have them are read, each once.
 */
export async function fontsFor(
  codePoints: readonly number[],
  { isEmoji, region }: { isEmoji: boolean; region: Region },
): Promise<Font[]> {
  const character = String.fromCodePoint(codePoints[0]!);
  const sources = [...SCRIPTS, REGIONS[region], ...Object.values(REGIONS), EMOJI];
  const matching = sources.filter(({ scripts }) => scripts.some((script) => usesScript(character, script)));
  const ordered = new Set([
    ...(isEmoji ? [EMOJI] : []),
    ...matching,
    ...sources.filter(({ isFallback }) => isFallback === true),
  ]);
  for (const source of ordered) {
    const fonts = (await source.load(codePoints)).filter((font) => codePoints.every((each) => font.has(each)));
    if (fonts.length > 0) return fonts;
  }
  return [];
}

const patterns = new Map<string, RegExp>();

/** Whether Unicode lists the character for this script (Script_Extensions), as the comma of Arabic and several others. */
function usesScript(character: string, script: string): boolean {
  const pattern = patterns.get(script) ?? new RegExp(`\\p{Script_Extensions=${script}}`, 'u');
  patterns.set(script, pattern);
  return pattern.test(character);
}

let latin: Promise<Font> | undefined;

/** Loads the font of Latin, whose glyph 0 is the box for characters that no font has. */
export function loadLatin(): Promise<Font> {
  latin ??= readDependency(NOTO_SANS).then((file) => createFont(file, undefined));
  return latin;
}

function packaged(
  name: string,
  prefix: string,
  style: string,
  scripts: readonly string[],
  isFallback?: true,
): FontSource {
  let parts: Promise<FontPart[]> | undefined;
  return {
    scripts,
    ...(isFallback && { isFallback }),
    async load(codePoints) {
      parts ??= readParts(name, prefix, style);
      const able = (await parts).filter(({ ranges }) => codePoints.every((each) => isInside(each, ranges)));
      return Promise.all(able.map((part) => part.load()));
    },
  };
}

type Range = readonly [first: number, last: number];
const isInside = (codePoint: number, ranges: readonly Range[]): boolean =>
  ranges.some(([first, last]) => codePoint >= first && codePoint <= last);

interface FontPart {
  ranges: readonly Range[];
  load(): Promise<Font>;
}

/** Lists the parts of a package, from its `unicode.json`: `{"thai": "U+2d7,U+e01-e5b", "[4]": …}`. */
async function readParts(name: string, prefix: string, style: string): Promise<FontPart[]> {
  const list = resolveInstalled(`${name}/unicode.json`);
  if (list === undefined) return [];
  const parts: Record<string, string> = JSON.parse(await readFile(list, 'utf8'));
  return Object.entries(parts).map(([part, ranges]) => {
    const file = `${name}/files/${prefix}-${part.replace(/[[\]]/g, '')}-${style}-normal.woff2`;
    let font: Promise<Font> | undefined;
    return {
      ranges: ranges.split(',').map((range) => {
        const [first, last = first] = range.slice(2).split('-');
        return [Number.parseInt(first!, 16), Number.parseInt(last!, 16)] as const;
      }),
      load: () => (font ??= readPart(file)),
    };
  });
}

/** The path of a file of a package, or undefined if the package was left out of the installation. */
function resolveInstalled(file: string): string | undefined {
  try {
    return require.resolve(file);
  } catch {
    return undefined;
  }
}

async function readPart(file: string): Promise<Font> {
  const tables = readWoff2(await readDependency(file));
  const drawings = tables.get('SVG ');
  // HarfBuzz does not draw them, and they are most of the file.
  tables.delete('SVG ');
  return createFont(toFontFile(tables), drawings);
}

async function createFont(file: Buffer, drawings: Buffer | undefined): Promise<Font> {
  const { Blob, Face, Font, Variation } = await loadHarfBuzz();
  const face = new Face(new Blob(new Uint8Array(file)));
  const shaper = new Font(face);
  shaper.setScale(EM, EM);
  shaper.setVariations([new Variation('wght', WEIGHT)]);
  return {
    shaper,
    has: (codePoint) => shaper.nominalGlyph(codePoint) !== undefined,
    colour: drawings && readSvgGlyphs(drawings, EM / face.upem),
  };
}

/** Writes tables as a font file ("OpenType font file" in the OpenType specification), without its checksums. */
export function toFontFile(tables: FontTables): Buffer {
  const directory = Buffer.alloc(12 + tables.size * 16);
  directory.writeUInt32BE(0x00010000, 0);
  directory.writeUInt16BE(tables.size, 4);
  const parts: Buffer[] = [directory];
  let position = directory.length;
  [...tables].sort().forEach(([tag, data], index) => {
    const entry = 12 + index * 16;
    directory.write(tag, entry, 'latin1');
    directory.writeUInt32BE(position, entry + 8);
    directory.writeUInt32BE(data.length, entry + 12);
    const padding = Buffer.alloc(-data.length & 3);
    parts.push(data, padding);
    position += data.length + padding.length;
  });
  return Buffer.concat(parts);
}
