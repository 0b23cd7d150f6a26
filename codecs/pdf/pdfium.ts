/** PDFium, compiled to WebAssembly: its start, and the part of its interface that is used here (fpdfview.h). Worker side. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { Failure } from '../../base/failure.ts';
import { corruptImage, imageTooLarge } from '../errors.ts';
import { FORMATS } from '../formats.ts';
import { abandonInstance, instantiateTracked } from '../memory.ts';
import { limitMemory } from '../memory-limit.ts';
import { meterWork, tooMuchWork, WorkMeter } from '../work-limit.ts';

/** Documents, pages, bitmaps and addresses are numbers; 0 is none. */
export interface Pdfium {
  _FPDF_InitLibrary(): void;
  _FPDF_LoadMemDocument64(file: number, bytes: number, password: number): number;
  _FPDF_GetLastError(): number;
  _FPDF_GetPageCount(document: number): number;
  /** Writes two floats: width and height in points, as the page is shown. False for a page that cannot be found. */
  _FPDF_GetPageSizeByIndexF(document: number, index: number, size: number): number;
  _FPDF_LoadPage(document: number, index: number): number;
  _FPDF_ClosePage(page: number): void;
  _FPDF_CloseDocument(document: number): void;
  _FPDFBitmap_CreateEx(width: number, height: number, format: number, samples: number, stride: number): number;
  _FPDFBitmap_FillRect(bitmap: number, left: number, top: number, width: number, height: number, argb: number): void;
  _FPDFBitmap_Destroy(bitmap: number): void;
  _FPDF_RenderPageBitmap(
    bitmap: number,
    page: number,
    left: number,
    top: number,
    width: number,
    height: number,
    quarterTurns: number,
    flags: number,
  ): void;
  _FPDF_GetFormType(document: number): number;
  _FPDFDOC_InitFormFillEnvironment(document: number, info: number): number;
  _FPDFDOC_ExitFormFillEnvironment(form: number): void;
  _FORM_OnAfterLoadPage(page: number, form: number): void;
  _FORM_OnBeforeClosePage(page: number, form: number): void;
  _FPDF_FFLDraw(
    form: number,
    bitmap: number,
    page: number,
    left: number,
    top: number,
    width: number,
    height: number,
    quarterTurns: number,
    flags: number,
  ): void;
  wasmExports: { malloc(bytes: number): number; free(address: number): void };
  /** Another one after each call that makes the memory grow. */
  HEAPU8: Uint8Array;
}

/**
 * PDFium would take 2 GB for a form that draws itself; honest pages stay far below this. It aborts when it gets no more. The file
 * lies in it too, and two such instances at a time must leave a process below 1.5 GiB (bench/bombs.ts).
 */
const MAX_MEMORY_BYTES = 352 * 2 ** 20;

/**
 * Instructions of one page or header: 14 times those of the heaviest page of the corpus, a scan whose picture is enlarged. They take
 * some seconds.
 */
export const MAX_WORK = 10e9;

interface Engine {
  pdfium: Pdfium;
  meter: WorkMeter;
}

let engine: Promise<Engine> | undefined;

/**
 * Runs `work` with PDFium, which starts on the first call in a thread.
 * After a trap nothing in its memory can be relied on, so the next call gets a fresh one.
 * @throws Failure `corrupt_image` when PDFium traps, `image_too_large` when it takes more than the instructions of {@link MAX_WORK}
 */
export async function withPdfium<T>(work: (pdfium: Pdfium) => T, maxWork = MAX_WORK): Promise<T> {
  engine ??= startPdfium();
  const { pdfium, meter } = await engine;
  meter.start(maxWork);
  try {
    return work(pdfium);
  } catch (error) {
    const isExhausted = meter.remaining < 0;
    if (error instanceof Failure && !isExhausted) throw error;
    engine = undefined;
    abandonInstance();
    if (isExhausted) throw tooMuchWork(maxWork);
    throw corruptImage(FORMATS.pdf.name, error);
  }
}

/** Memory of PDFium for as long as `use` runs. @throws Failure `image_too_large` when there is no more */
export function withMemory<T>(pdfium: Pdfium, bytes: number, use: (address: number) => T): T {
  const address = pdfium.wasmExports.malloc(bytes);
  if (address === 0) throw imageTooLarge('the memory of one request', `${bytes} bytes`);
  try {
    return use(address);
  } finally {
    pdfium.wasmExports.free(address);
  }
}

async function startPdfium(): Promise<Engine> {
  const { PDFiumModule } = await import('@hyzyla/pdfium');
  const file = createRequire(import.meta.url).resolve('@hyzyla/pdfium/pdfium.wasm');
  // The declared types leave out most of the functions, and the options that keep its complaints out of our log.
  const instantiate = PDFiumModule as unknown as (options: object) => Promise<Pdfium>;
  const module = await WebAssembly.compile(meterWork(limitMemory(await readFile(file), MAX_MEMORY_BYTES)));
  let meter: WorkMeter | undefined;
  const pdfium = await instantiate({
    instantiateWasm: instantiateTracked(module, (instance) => {
      meter = new WorkMeter(instance);
    }),
    print() {},
    printErr() {},
  });
  pdfium._FPDF_InitLibrary();
  return { pdfium, meter: meter! };
}
