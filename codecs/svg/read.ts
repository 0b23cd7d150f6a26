/**
 * Reads SVG with resvg, which runs no script and accesses nothing outside the file: it is WebAssembly without imports
 * for files or the network.
 */

import { Failure } from '../../base/failure.ts';
import type { Box } from '../../base/geometry.ts';
import { readDependency } from '../../base/package-file.ts';
import { type BitmapContent, checkPixels } from '../bitmap.ts';
import { corruptImage, pageOutOfRange } from '../errors.ts';
import type { DecodeRequest, FormatReader, PageRequest, Probe, ReaderContext } from '../format-reader.ts';
import { type Drawing, renderDrawing, withDrawing } from '../resvg.ts';
import { drawnSize } from '../size.ts';
import {
  fittedDocument,
  readSvg,
  type SizedDocument,
  type SvgDocument,
  stretchedMarkup,
  toMarkup,
} from './document.ts';
import { convertEmbeddedImages } from './embedded-images.ts';
import { SVG_NAME } from './name.ts';

/** CSS Fonts 4, 2.5: "medium" in every browser. */
const FONT_SIZE = 16;

/** resvg draws on one bitmap and copies it to another one, which is copied to JavaScript. */
const DRAWING_BYTES_PER_PIXEL = 12;

export const svgReader: FormatReader = { probe, decode, scalable: true };

async function probe(bytes: Uint8Array, { page }: PageRequest, context: ReaderContext): Promise<Probe> {
  checkPage(page);
  const { size } = await open(bytes, context);
  const drawn = drawnSize(size, 1);
  const workingBytes = drawn.width * drawn.height * DRAWING_BYTES_PER_PIXEL;
  return { ...drawn, pages: 1, depth: 8, hasAlpha: true, workingBytes };
}

async function decode(
  bytes: Uint8Array,
  { page, scale, maxPixels }: DecodeRequest,
  context: ReaderContext,
): Promise<BitmapContent> {
  checkPage(page);
  const document = await open(bytes, context);
  const pixels = drawnSize(drawnSize(document.size, 1), scale);
  checkPixels(pixels, maxPixels);
  const markup = await convertEmbeddedImages(stretchedMarkup(document, pixels), context.vips);
  const drawn = await withSvg(markup, context, renderDrawing);
  return { bitmap: { ...drawn, channels: 4 } };
}

function checkPage(page: number): void {
  if (page > 1) throw pageOutOfRange(page, 1);
}

async function open(bytes: Uint8Array, context: ReaderContext): Promise<SizedDocument> {
  const document = readSvg(bytes);
  const { size } = document;
  if (!size) return fittedDocument(document, await extentOf(document, context));
  // An element without size is not drawn (SVG 2, 8.3).
  if (size.width === 0 || size.height === 0) throw corruptImage(SVG_NAME, 'no size');
  return { ...document, size };
}

/** Returns the box around everything visible, which is the size of a drawing that declares none. */
function extentOf(document: SvgDocument, context: ReaderContext): Promise<Box | undefined> {
  return withSvg(toMarkup(document), context, (drawing) => {
    const box = drawing.getBBox();
    if (!box) return undefined;
    const { x, y, width, height } = box;
    box.free();
    return { x, y, width, height };
  });
}

async function withSvg<T>(markup: string, { modules }: ReaderContext, use: (drawing: Drawing) => T): Promise<T> {
  const font = { fontBuffers: await loadFonts(), defaultFontSize: FONT_SIZE };
  try {
    return await withDrawing(modules.resvg, markup, { font }, use);
  } catch (error) {
    throw error instanceof Failure ? error : corruptImage(SVG_NAME, error);
  }
}

/** The font for all texts in drawings, whatever font they name: Noto Sans in four styles. */
const STYLES = ['400Regular', '400Regular_Italic', '700Bold', '700Bold_Italic'];

let fonts: Promise<Uint8Array[]> | undefined;

/** Reads the TrueType files once. */
function loadFonts(): Promise<Uint8Array[]> {
  fonts ??= Promise.all(
    STYLES.map((style) => readDependency(`@expo-google-fonts/noto-sans/${style}/NotoSans_${style}.ttf`)),
  );
  return fonts;
}
