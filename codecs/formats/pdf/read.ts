/**
 * Reads PDF: draws each page on white with its annotations and form fields. Runs no scripts and fetches nothing from
 * outside the file.
 */
import type { Size } from '../../../base/geometry.ts';
import { type BitmapContent, checkPixels } from '../../bitmap.ts';
import { corruptImage, pageOutOfRange, passwordProtected } from '../../errors.ts';
import type { DecodeRequest, FormatReader, PageRequest, Probe } from '../../format-reader.ts';
import { drawnSize } from '../../size.ts';
import { FORMATS } from '../registry.ts';
import { type Form, withForm } from './forms.ts';
import { type Pdfium, withMemory, withPdfium } from './pdfium.ts';

const FORMAT = FORMATS.pdf.name;
/** Dots per inch at scale 1. */
const RESOLUTION = 150;
const POINTS_PER_INCH = 72;
/** PDFium returns sizes as single floats: 612.0001 points must still become the 1275 pixels of a letter page. */
const ROUNDING_SLACK = 1e-3;

// fpdfview.h
const ERROR_PASSWORD = 4;
/** Encrypted with a method that PDFium does not support. */
const ERROR_SECURITY = 5;
const BITMAP_BGR = 2;
const RENDER_ANNOTATIONS = 0x01;
const RENDER_AS_RGB = 0x10;

const CHANNELS = 3;
const WHITE = 0xffffffff;
/** Larger pages are drawn in strips, because the memory of PDFium never shrinks. */
const STRIP_PIXELS = 16_000_000;

export const pdfReader: FormatReader = { probe, decode, scalable: true };

function probe(bytes: Uint8Array, { page }: PageRequest): Promise<Probe> {
  return withPdfium((pdfium) =>
    withDocument(pdfium, bytes, (document) => {
      const pages = countPages(pdfium, document, page);
      return { ...pageSize(pdfium, document, page), pages, depth: 8, hasAlpha: false };
    }),
  );
}

function decode(bytes: Uint8Array, { page, scale, maxPixels }: DecodeRequest): Promise<BitmapContent> {
  return withPdfium((pdfium) =>
    withDocument(pdfium, bytes, (document) => {
      countPages(pdfium, document, page);
      const size = drawnSize(pageSize(pdfium, document, page), scale);
      checkPixels(size, maxPixels);
      const data = withForm(pdfium, document, (form) =>
        withPage(pdfium, document, form, page, (handle) => draw(pdfium, handle, form, size)),
      );
      const density = { x: RESOLUTION * scale, y: RESOLUTION * scale };
      return { bitmap: { data, ...size, channels: CHANNELS, density } };
    }),
  );
}

function withDocument<T>(pdfium: Pdfium, bytes: Uint8Array, use: (document: number) => T): T {
  return withMemory(pdfium, bytes.length, (file) => {
    pdfium.HEAPU8.set(bytes, file);
    const document = pdfium._FPDF_LoadMemDocument64(file, bytes.length, 0);
    if (document === 0) throw refusal(pdfium._FPDF_GetLastError());
    try {
      return use(document);
    } finally {
      pdfium._FPDF_CloseDocument(document);
    }
  });
}

function refusal(error: number) {
  if (error === ERROR_PASSWORD || error === ERROR_SECURITY) return passwordProtected(FORMAT);
  return corruptImage(FORMAT, `PDFium's error ${error}`);
}

/** @throws Failure `page_out_of_range` */
function countPages(pdfium: Pdfium, document: number, page: number): number {
  const pages = pdfium._FPDF_GetPageCount(document);
  if (pages < 1) throw corruptImage(FORMAT, 'no pages');
  if (page > pages) throw pageOutOfRange(page, pages);
  return pages;
}

/**
 * Returns the pixels at scale 1 of the crop box as displayed. Partial pixels are rounded up, as in poppler's pdftoppm.
 */
function pageSize(pdfium: Pdfium, document: number, page: number): Size {
  const [width, height] = withMemory(pdfium, 2 * Float32Array.BYTES_PER_ELEMENT, (size) => {
    if (!pdfium._FPDF_GetPageSizeByIndexF(document, page - 1, size)) throw corruptImage(FORMAT, 'page not found');
    return new Float32Array(pdfium.HEAPU8.buffer, size, 2).map(toPixels);
  });
  return { width: width!, height: height! };
}

const toPixels = (points: number) => Math.max(1, Math.ceil((points / POINTS_PER_INCH) * RESOLUTION - ROUNDING_SLACK));

function withPage<T>(pdfium: Pdfium, document: number, form: Form, page: number, use: (handle: number) => T): T {
  const handle = pdfium._FPDF_LoadPage(document, page - 1);
  if (handle === 0) throw corruptImage(FORMAT, 'page not readable');
  if (form !== 0) pdfium._FORM_OnAfterLoadPage(handle, form);
  try {
    return use(handle);
  } finally {
    if (form !== 0) pdfium._FORM_OnBeforeClosePage(handle, form);
    pdfium._FPDF_ClosePage(handle);
  }
}

function draw(pdfium: Pdfium, page: number, form: Form, { width, height }: Size): Uint8Array {
  const data = new Uint8Array(width * height * CHANNELS);
  const stride = width * CHANNELS;
  const stripHeight = Math.min(height, Math.max(1, Math.floor(STRIP_PIXELS / width)));
  withMemory(pdfium, stride * stripHeight, (samples) => {
    for (let top = 0; top < height; top += stripHeight) {
      const rows = Math.min(stripHeight, height - top);
      const bitmap = pdfium._FPDFBitmap_CreateEx(width, rows, BITMAP_BGR, samples, stride);
      if (bitmap === 0) throw corruptImage(FORMAT, 'no bitmap');
      try {
        pdfium._FPDFBitmap_FillRect(bitmap, 0, 0, width, rows, WHITE);
        pdfium._FPDF_RenderPageBitmap(bitmap, page, 0, -top, width, height, 0, RENDER_ANNOTATIONS | RENDER_AS_RGB);
        if (form !== 0) pdfium._FPDF_FFLDraw(form, bitmap, page, 0, -top, width, height, 0, RENDER_AS_RGB);
      } finally {
        pdfium._FPDFBitmap_Destroy(bitmap);
      }
      data.set(pdfium.HEAPU8.subarray(samples, samples + stride * rows), stride * top);
    }
  });
  return data;
}
