/**
 * Measures OCR accuracy: character errors on pages drawn in eight typefaces at many sizes, and on scans with known
 * text. `npx tsx scripts/model-table/ocr.ts` prints the table.
 */
import { existsSync } from 'node:fs';
import type { Engine } from '../../engine/engine.ts';
import { createPool } from '../../engine/pool.ts';
import { TEXT_LANGUAGES, type TextLanguage } from '../../models/text-languages.ts';
import { drawPage, editDistance, NOTO_SANS, SAMPLES, type Typeface } from '../../test/engine/ocr/pages.ts';
import { corpus } from '../../test/support/corpus.ts';
import { sharpOf } from '../../test/support/test-images.ts';

/** One row of the table: pages of one kind. */
export interface OcrRow {
  /** Description of the pages: `eng, 10 px`, or the name of a scan. */
  pages: string;
  count: number;
  /** Characters in the true text, with runs of white space counted once. */
  characters: number;
  /** Insertions, deletions and replacements. */
  errors: number;
  /** Mean confidence of the results. */
  confidence: number;
  /** Median time of one page on the worker, in milliseconds. */
  milliseconds: number;
}

/**
 * Debian's packages fonts-dejavu-core, fonts-liberation and fonts-urw-base35; fonts that are not installed are skipped.
 */
const FONTS = '/usr/share/fonts';
const TYPEFACES: readonly Typeface[] = [
  NOTO_SANS,
  { family: 'DejaVu Sans', file: `${FONTS}/truetype/dejavu/DejaVuSans.ttf` },
  { family: 'DejaVu Serif', file: `${FONTS}/truetype/dejavu/DejaVuSerif.ttf` },
  { family: 'Liberation Sans', file: `${FONTS}/truetype/liberation/LiberationSans-Regular.ttf` },
  { family: 'Liberation Serif', file: `${FONTS}/truetype/liberation/LiberationSerif-Regular.ttf` },
  { family: 'Liberation Mono', file: `${FONTS}/truetype/liberation/LiberationMono-Regular.ttf` },
  { family: 'URW Bookman', file: `${FONTS}/opentype/urw-base35/URWBookman-Light.otf` },
  { family: 'C059', file: `${FONTS}/opentype/urw-base35/C059-Roman.otf` },
];

const SIZES = [10, 12, 14, 16, 20, 24, 32, 40];
const TURNS = [90, 180, 270];
const TILTS = [3, -8];
/** Further styles of a page, at 20 pixels. */
const STYLES = { 'light on dark': { ink: '#ddd', paper: '#222' }, 'pale on white': { ink: '#aaa', paper: '#fff' } };

/** Scans with their transcriptions; some transcriptions cover only a part of the page. */
const SCANS: readonly { file: string; written: string; language: TextLanguage; part?: boolean }[] = [
  { file: 'test--phototest.tif', written: 'test--phototest.txt', language: 'eng' },
  { file: 'test--phototest-rotated-R.png', written: 'test--phototest.txt', language: 'eng' },
  { file: 'test--phototest-rotated-180.png', written: 'test--phototest.txt', language: 'eng' },
  { file: 'test--eurotext.tif', written: 'test--eurotext.txt', language: 'eng' },
  { file: 'test--8087_054.3B.tif', written: 'test--8087_054.3B.txt', language: 'eng', part: true },
];

interface Page {
  bytes: Uint8Array;
  written: string;
  part: boolean;
}

/** @throws Failure if a page cannot be read at all */
export async function measureOcr(): Promise<OcrRow[]> {
  const engine = await createPool({ workers: 1, timeoutMs: 300_000 });
  const typefaces = TYPEFACES.filter(({ file }) => existsSync(file));
  const rows: OcrRow[] = [];
  const measure = async (pages: string, language: TextLanguage, sources: Promise<Page>[]) =>
    rows.push(await measurePages(engine, pages, language, await Promise.all(sources)));
  try {
    await engine.ready();
    for (const language of Object.keys(TEXT_LANGUAGES) as TextLanguage[]) {
      const lines = SAMPLES[language];
      const written = lines.join('\n');
      const draw = async (style: Parameters<typeof drawPage>[1], turn = 0): Promise<Page> => ({
        bytes: await sharpOf(await drawPage(lines, style))
          .rotate(turn, { background: '#fff' })
          .png()
          .toBuffer(),
        written,
        part: false,
      });
      for (const size of SIZES) {
        await measure(
          `${language}, ${size} px`,
          language,
          typefaces.map((typeface) => draw({ typeface, size })),
        );
      }
      for (const turn of [...TURNS, ...TILTS]) {
        const pages = typefaces.map((typeface) => draw({ typeface, size: 20 }, turn));
        await measure(`${language}, 20 px, turned by ${turn}°`, language, pages);
      }
      for (const [name, style] of Object.entries(STYLES)) {
        const pages = typefaces.map((typeface) => draw({ typeface, size: 20, ...style }));
        await measure(`${language}, 20 px, ${name}`, language, pages);
      }
    }
    for (const { file, written, language, part = false } of SCANS) {
      const [bytes, text] = [corpus(`text/${file}`), corpus(`text/${written}`)];
      if (!bytes || !text) continue;
      await measure(file, language, [Promise.resolve({ bytes, written: Buffer.from(text).toString(), part })]);
    }
  } finally {
    await engine.close();
  }
  return rows;
}

async function measurePages(engine: Engine, pages: string, lang: TextLanguage, sources: Page[]): Promise<OcrRow> {
  const row = { pages, count: sources.length, characters: 0, errors: 0, confidence: 0 };
  const times: number[] = [];
  for (const { bytes, written, part } of sources) {
    let started = 0;
    const { record } = await engine.run(
      'ocr',
      { image: { data: new Uint8Array(bytes).buffer }, params: { lang, words: false, page: 1 } },
      { onStart: () => (started = performance.now()) },
    );
    times.push(performance.now() - started);
    row.characters += written.replace(/\s+/g, ' ').trim().length;
    row.errors += editDistance(record.text, written, part);
    row.confidence += record.confidence / sources.length;
  }
  times.sort((one, other) => one - other);
  return { ...row, confidence: Math.round(row.confidence), milliseconds: Math.round(times[times.length >> 1]!) };
}

if (process.argv[1] === import.meta.filename) {
  for (const { pages, count, characters, errors, confidence, milliseconds } of await measureOcr()) {
    const rate = ((100 * errors) / characters).toFixed(2);
    console.log(
      `${pages}: ${count} pages, ${rate}% of ${characters} characters wrong, confidence ${confidence}, ${milliseconds} ms`,
    );
  }
}
