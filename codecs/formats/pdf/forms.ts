/** Draws the fields of forms, which PDFium draws separately from the page (fpdf_formfill.h). */
import { type Pdfium, withMemory } from './pdfium.ts';

const NO_FORM = 0;
/** Bytes of `FPDF_FORMFILLINFO`, with space for later members: the version, and callbacks that are all unset. */
const FORM_FILL_INFO_BYTES = 256;
/** Later versions are for XFA, which this PDFium does not support. */
const VERSION = 1;

/** Handle for drawing fields; 0 for a document without any, which costs nothing. */
export type Form = number;

/**
 * Runs `use` with the form environment. It only draws: no script or action of the document runs, and this PDFium has no
 * engine to run them. Pages must be loaded and closed inside `use`.
 */
export function withForm<T>(pdfium: Pdfium, document: number, use: (form: Form) => T): T {
  if (pdfium._FPDF_GetFormType(document) === NO_FORM) return use(0);
  return withMemory(pdfium, FORM_FILL_INFO_BYTES, (info) => {
    pdfium.HEAPU8.fill(0, info, info + FORM_FILL_INFO_BYTES);
    pdfium.HEAPU8[info] = VERSION;
    const form = pdfium._FPDFDOC_InitFormFillEnvironment(document, info);
    try {
      return use(form);
    } finally {
      if (form !== 0) pdfium._FPDFDOC_ExitFormFillEnvironment(form);
    }
  });
}
