/**
 * The font for drawn text: the whole of Noto Sans in one file.
 *
 * The web font subsets by script do not work. resvg combines several fonts by substitution, and gives up and draws
 * boxes when two of them shape a text into different numbers of glyphs. The ligature of "fi" beside a "č" is enough.
 */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';

export const FONT_FAMILY = 'Noto Sans';
/** Semi-bold stays legible on a photograph at watermark sizes, and the openings of small letters do not close. */
export const FONT_WEIGHT = 600;
const FILE = '@expo-google-fonts/noto-sans/600SemiBold/NotoSans_600SemiBold.ttf';

export interface Font {
  /** The TrueType file. */
  data: Uint8Array;
  /** The code points that it has a glyph for. */
  codePoints: ReadonlySet<number>;
}

let font: Promise<Font> | undefined;

/** Reads the font on the first call. */
export function loadFont(): Promise<Font> {
  font ??= read();
  return font;
}

async function read(): Promise<Font> {
  const data = await readFile(createRequire(import.meta.url).resolve(FILE));
  return { data, codePoints: codePointsOf(tableOf(data, 'cmap')) };
}

/**
 * Finds a table through the table directory at the start of the file ("OpenType font file" in the OpenType
 * specification).
 */
function tableOf(file: Buffer, tag: string): Buffer {
  const entries = Array.from({ length: file.readUInt16BE(4) }, (_, index) => file.subarray(12 + index * 16));
  const entry = entries.find((candidate) => candidate.toString('latin1', 0, 4) === tag)!;
  return file.subarray(entry.readUInt32BE(8), entry.readUInt32BE(8) + entry.readUInt32BE(12));
}

/**
 * Reads the groups of a format 12 character map ("cmap" in the OpenType specification). Each code point in a group has
 * a glyph.
 */
function codePointsOf(cmap: Buffer): Set<number> {
  const subtables = Array.from({ length: cmap.readUInt16BE(2) }, (_, index) =>
    cmap.subarray(cmap.readUInt32BE(8 + index * 8)),
  );
  const groups = subtables.find((subtable) => subtable.readUInt16BE(0) === 12)!;
  const codePoints = new Set<number>();
  for (let group = 0; group < groups.readUInt32BE(12); group++) {
    const at = 16 + group * 12;
    const last = groups.readUInt32BE(at + 4);
    for (let codePoint = groups.readUInt32BE(at); codePoint <= last; codePoint++) codePoints.add(codePoint);
  }
  return codePoints;
}
