/** PDFium compiled to WebAssembly: starts it and declares the functions that are used (fpdfview.h). Worker side. */
import { Failure } from '../../../base/failure.ts';
import { readDependency } from '../../../base/package-file.ts';
import { corruptImage, imageTooLarge } from '../../errors.ts';
import { abandonInstance, instantiateTracked } from '../../memory.ts';
import { limitMemory } from '../../memory-limit.ts';
import { meterWork, tooMuchWork, WorkMeter } from '../../work-limit.ts';
import { FORMATS } from '../registry.ts';

/** Documents, pages, bitmaps and addresses are numbers; 0 means none. */
export interface Pdfium {
  _FPDF_InitLibrary(): void;
  _FPDF_LoadMemDocument64(file: number, bytes: number, password: number): number;
  _FPDF_GetLastError(): number;
  _FPDF_GetPageCount(document: number): number;
  /**
   * Writes two floats: width and height of the displayed page in points. Returns false when the page cannot be found.
   */
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
  /** Replaced by a new array after each call that makes the memory grow. */
  HEAPU8: Uint8Array;
}

/**
 * PDFium would take 2 GB for a form that draws itself. Normal pages stay far below this limit. PDFium aborts when it
 * gets no more memory. The memory also contains the file, and two such instances must keep a process below 1.5 GiB
 * (bench/bombs.ts).
 */
const MAX_MEMORY_BYTES = 352 * 2 ** 20;

/**
 * Maximum instructions for one page or header: 14 times those of the heaviest page of the corpus, a scan whose image is
 * enlarged. They take some seconds.
 */
export const MAX_WORK = 10e9;

interface Engine {
  pdfium: Pdfium;
  meter: WorkMeter;
}

let engine: Promise<Engine> | undefined;

/**
 * Runs `work` with PDFium, which starts on the first call in a thread. After a trap its memory cannot be relied on, so
 * the next call gets a new instance.
 * @throws Failure `corrupt_image` when PDFium traps, `image_too_large` when it takes more than {@link MAX_WORK}
 *   instructions
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

/** Allocates memory of PDFium while `use` runs. @throws Failure `image_too_large` when there is not enough */
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
  // The declared types lack most of the functions, and the options that keep PDFium's messages out of our log.
  const instantiate = PDFiumModule as unknown as (options: object) => Promise<Pdfium>;
  const module = await WebAssembly.compile(
    meterWork(limitMemory(await readDependency('@hyzyla/pdfium/pdfium.wasm'), MAX_MEMORY_BYTES)),
  );
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
