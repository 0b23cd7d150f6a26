/**
 * Tesseract, compiled to WebAssembly: reads words and their positions from grey pixels. Worker side.
 *
 * The core of tesseract.js runs in this thread. Its `createWorker` is not used: it would add a second thread to end with
 * every cancelled request. In version 7 it also takes the languages of one folder only (passed as data they are
 * not initialised), never responds if they do not load, and keeps its memory where the pool cannot see it.
 */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { dependencyModule, readDependency } from '../base/package-file.ts';
import { textDataPath } from './installed.ts';
import { TEXT_LANGUAGES, type TextLanguage } from './text-languages.ts';

/** One byte per pixel, rows from top to bottom without padding. */
export interface GreyImage {
  data: Uint8Array;
  width: number;
  height: number;
}

export interface ReadWord {
  text: string;
  /** 0 to 100. */
  confidence: number;
  /** Box of the word in pixels of the image. */
  left: number;
  top: number;
  width: number;
  height: number;
  /** Numbers of the text block, of the paragraph in it and of the line in that, each from 1. */
  block: number;
  paragraph: number;
  line: number;
}

export interface ReadOptions {
  /**
   * Whether to read lines that make no sense again as white on
   * black. It takes time, which is not worth much for a sample.
   */
  inverted: boolean;
  /**
   * Whether to look for columns and read them one after another. Parts that Tesseract takes for an image or a rule are
   * then left out. Without it, everything at one height is one line.
   */
  columns: boolean;
}

/** The part of the core that this file uses. Its package declares no types. */
interface Core {
  FS: { writeFile(path: string, data: Uint8Array): void; unlink(path: string): void };
  TessBaseAPI: new () => {
    Init(folder: string | null, languages: string, engine: number): number;
    End(): void;
    SetVariable(name: string, value: string): boolean;
    /** @returns 0 if the core accepts the file `/input` as an image, else 1 */
    SetImageFile(orientation: number, radians: number): number;
    SetSourceResolution(dotsPerInch: number): void;
    Recognize(monitor: null): number;
    GetTSVText(page: number): string;
    Clear(): void;
  };
}

interface CoreOptions {
  instantiateWasm?: Instantiate;
  print?(line: string): void;
  printErr?(line: string): void;
}

/** The function type that Emscripten expects. */
export type Instantiate = (
  imports: WebAssembly.Imports,
  onInstance: (instance: WebAssembly.Instance, module: WebAssembly.Module) => void,
) => object;

/** With SIMD, which libvips needs too. Without relaxed SIMD, whose sums differ between machines. */
const CORE = 'tesseract.js-core/tesseract-core-simd-lstm';
const INPUT = '/input';
/** LSTM only: the data packages support no other engine. */
const ENGINE = 1;
/** Page segmentation modes (PSM_AUTO and PSM_SINGLE_BLOCK, https://tesseract-ocr.github.io/tessdoc/ImproveQuality.html). */
const PAGE_MODE_AUTO = '3';
const PAGE_MODE_BLOCK = '6';
/** Resolution for sizes in points. Otherwise Tesseract would guess one from the text and print a message. */
const DOTS_PER_INCH = '300';

const require = createRequire(import.meta.url);

/** Reads text. There is one instance per worker. Languages are loaded on first use. */
export class TextReader {
  readonly #core: Core;
  readonly #api: InstanceType<Core['TessBaseAPI']>;
  readonly #loaded = new Set<TextLanguage>();
  #active: string | undefined;

  private constructor(core: Core) {
    this.#core = core;
    this.#api = new core.TessBaseAPI();
  }

  /** @param instantiate wraps the instantiation of WebAssembly, for code that measures its memory */
  static async start(instantiate?: (module: WebAssembly.Module) => Instantiate): Promise<TextReader> {
    const start = require(dependencyModule(`${CORE}.js`)) as (options: CoreOptions) => Promise<Core>;
    const module = await WebAssembly.compile(await readDependency(`${CORE}.wasm`));
    const silent = () => {};
    return new TextReader(
      await start({
        print: silent,
        printErr: silent,
        ...(instantiate ? { instantiateWasm: instantiate(module) } : {}),
      }),
    );
  }

  /**
   * Reads the words of an image.
   * @param languages in any order
   * @returns the words in reading order
   * @throws Error if the data of a language do not load; a WebAssembly trap
   */
  async read(
    image: GreyImage,
    languages: readonly TextLanguage[],
    { inverted, columns }: ReadOptions,
  ): Promise<ReadWord[]> {
    await this.#use(languages);
    const api = this.#api;
    api.SetVariable('tessedit_do_invert', inverted ? '1' : '0');
    api.SetVariable('tessedit_pageseg_mode', columns ? PAGE_MODE_AUTO : PAGE_MODE_BLOCK);
    this.#core.FS.writeFile(INPUT, encodePgm(image));
    try {
      if (api.SetImageFile(1, 0) !== 0) throw new Error('Expected Tesseract to take the image but received a refusal');
      if (api.Recognize(null) !== 0) throw new Error('Expected Tesseract to read the image but received a refusal');
      return wordsOf(api.GetTSVText(0));
    } finally {
      api.Clear();
      this.#core.FS.unlink(INPUT);
    }
  }

  async #use(languages: readonly TextLanguage[]): Promise<void> {
    const wanted = languages.toSorted((one, other) => languageRank(one) - languageRank(other)).join('+');
    if (wanted === this.#active) return;
    for (const language of languages) await this.#load(language);
    this.#active = undefined;
    this.#api.End();
    if (this.#api.Init(null, wanted, ENGINE) !== 0) throw new Error(`Expected Tesseract to start with ${wanted}`);
    this.#api.SetVariable('user_defined_dpi', DOTS_PER_INCH);
    // Words learned from one image must not affect the text of the next.
    this.#api.SetVariable('tessedit_enable_doc_dict', '0');
    this.#active = wanted;
  }

  async #load(language: TextLanguage): Promise<void> {
    if (this.#loaded.has(language)) return;
    const name = `${language}.traineddata`;
    this.#core.FS.writeFile(name, await promisify(gunzip)(await readFile(textDataPath(language))));
    this.#loaded.add(language);
  }
}

/**
 * Returns the image as a file that Leptonica reads without decoding (PGM, https://netpbm.sourceforge.net/doc/pgm.html).
 */
function encodePgm({ data, width, height }: GreyImage): Uint8Array {
  const header = Buffer.from(`P5\n${width} ${height}\n255\n`);
  const file = new Uint8Array(header.length + data.length);
  file.set(header);
  file.set(data, header.length);
  return file;
}

/**
 * Rank of a language among those that are tried on a word. Tesseract keeps the word of the first
 * language that is confident. The Slovenian data, which have no q, are confident of "guick", so
 * languages with more letters come first. On a page in both languages, Tesseract starts each
 * word with the language of the previous one: a q after a Slovenian line is still read as g.
 */
const languageRank = (language: TextLanguage): number => Object.keys(TEXT_LANGUAGES).indexOf(language);

/** Level of words in Tesseract's TSV output. */
const WORD_LEVEL = '5';

function wordsOf(table: string): ReadWord[] {
  const words: ReadWord[] = [];
  for (const row of table.split('\n')) {
    const [level, , block, paragraph, line, , left, top, width, height, confidence, text] = row.split('\t');
    if (level !== WORD_LEVEL || !text?.trim()) continue;
    words.push({
      text: text.trim(),
      confidence: Math.min(100, Math.max(0, Number(confidence))),
      left: Number(left),
      top: Number(top),
      width: Number(width),
      height: Number(height),
      block: Number(block),
      paragraph: Number(paragraph),
      line: Number(line),
    });
  }
  return words;
}
