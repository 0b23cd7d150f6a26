/** The fields of forms, which PDFium draws apart from the page (fpdf_formfill.h). */
import { type Pdfium, withMemory } from './pdfium.ts';

const NO_FORM = 0;
/** Of `FPDF_FORMFILLINFO`, with room for later members: the version, and callbacks that are all left out. */
const FORM_FILL_INFO_BYTES = 256;
/** Later versions are for XFA, which this PDFium does not have. */
const VERSION = 1;

/** How fields are filled: a handle; 0 for a document without any, which cost nothing. */
export type Form = number;

/**
 * Only draws: no script and no action of the document is run, and this PDFium has nothing to run them.
 * Pages must be loaded and closed inside.
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
