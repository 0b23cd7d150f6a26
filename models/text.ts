/**
 * Tesseract, compiled to WebAssembly: grey pixels in, words with their places out. Worker side.
 *
 * The core of tesseract.js runs in this thread and not behind `createWorker`, whose thread would be a second one to end
 * with every cancelled request. `createWorker` of tesseract.js 7 also takes the languages of one folder only (handed over as
 * data they are not initialised), never answers when they do not load, and keeps its memory where the pool cannot see it.
 */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { textDataPath } from './installed.ts';
import { TEXT_LANGUAGES, type TextLanguage } from './text-languages.ts';

/** One byte per pixel, rows from the top without padding. */
export interface GreyImage {
  data: Uint8Array;
  width: number;
  height: number;
}

export interface ReadWord {
  text: string;
  /** 0 to 100. */
  confidence: number;
  /** Its box in pixels of the image. */
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
  /** Read lines that make no sense again as white on black. It takes time, of which a sample deserves little. */
  inverted: boolean;
  /**
   * Look for columns, and read one after the other. What Tesseract takes for a picture or for a rule is left out then; without
   * it everything that stands at one height is one line.
   */
  columns: boolean;
}

/** What this file calls of the core; its package declares no types. */
interface Core {
  FS: { writeFile(path: string, data: Uint8Array): void; unlink(path: string): void };
  TessBaseAPI: new () => {
    Init(folder: string | null, languages: string, engine: number): number;
    End(): void;
    SetVariable(name: string, value: string): boolean;
    /** @returns 1 when the file `/input` is no image that it reads */
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

/** As Emscripten wants it. */
export type Instantiate = (
  imports: WebAssembly.Imports,
  onInstance: (instance: WebAssembly.Instance, module: WebAssembly.Module) => void,
) => object;

/** With SIMD, which libvips needs as well; without relaxed SIMD, whose sums differ from machine to machine. */
const CORE = 'tesseract.js-core/tesseract-core-simd-lstm';
const INPUT = '/input';
/** LSTM only: the networks of the data packages have no other engine. */
const ENGINE = 1;
/** Page segmentation modes (PSM_AUTO and PSM_SINGLE_BLOCK, https://tesseract-ocr.github.io/tessdoc/ImproveQuality.html). */
const PAGE = '3';
const BLOCK = '6';
/** Resolution that Tesseract takes sizes in points from. It would guess one from the text otherwise, and say so. */
const DOTS_PER_INCH = '300';

const require = createRequire(import.meta.url);
/** The core is of the same release as tesseract.js. */
const requireOfTesseract = createRequire(require.resolve('tesseract.js'));

/** Reads text; one per worker. Languages are loaded when they are first asked for. */
export class TextReader {
  readonly #core: Core;
  readonly #api: InstanceType<Core['TessBaseAPI']>;
  readonly #loaded = new Set<TextLanguage>();
  #active: string | undefined;

  private constructor(core: Core) {
    this.#core = core;
    this.#api = new core.TessBaseAPI();
  }

  /** @param instantiate wraps the start of the WebAssembly instance, for whoever watches its memory */
  static async start(instantiate?: (module: WebAssembly.Module) => Instantiate): Promise<TextReader> {
    const start = requireOfTesseract(CORE) as (options: CoreOptions) => Promise<Core>;
    const module = await WebAssembly.compile(await readFile(requireOfTesseract.resolve(`${CORE}.wasm`)));
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
   * @param languages in any order
   * @returns the words in the order of reading
   * @throws Error when the data of a language do not load; a WebAssembly trap
   */
  async read(
    image: GreyImage,
    languages: readonly TextLanguage[],
    { inverted, columns }: ReadOptions,
  ): Promise<ReadWord[]> {
    await this.#use(languages);
    const api = this.#api;
    api.SetVariable('tessedit_do_invert', inverted ? '1' : '0');
    api.SetVariable('tessedit_pageseg_mode', columns ? PAGE : BLOCK);
    this.#core.FS.writeFile(INPUT, greymap(image));
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
    const wanted = languages.toSorted((one, other) => rankOf(one) - rankOf(other)).join('+');
    if (wanted === this.#active) return;
    for (const language of languages) await this.#load(language);
    this.#active = undefined;
    this.#api.End();
    if (this.#api.Init(null, wanted, ENGINE) !== 0) throw new Error(`Expected Tesseract to start with ${wanted}`);
    this.#api.SetVariable('user_defined_dpi', DOTS_PER_INCH);
    // What one picture has taught it must not show in the text of the next.
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

/** The image as a file that Leptonica reads without decoding anything (PGM, https://netpbm.sourceforge.net/doc/pgm.html). */
function greymap({ data, width, height }: GreyImage): Uint8Array {
  const header = Buffer.from(`P5\n${width} ${height}\n255\n`);
  const file = new Uint8Array(header.length + data.length);
  file.set(header);
  file.set(data, header.length);
  return file;
}

/**
 * Where a language stands among those that are tried on a word. Tesseract keeps the word of the first that is sure of it, and
 * the Slovenian data, which have no q, are sure of "guick": so those with more signs come first.
 * On a page of both, Tesseract starts each word with the language of the one before: a q after a Slovenian line is still a g.
 */
const rankOf = (language: TextLanguage): number => Object.keys(TEXT_LANGUAGES).indexOf(language);

/** Level of words in the table that Tesseract writes. */
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
