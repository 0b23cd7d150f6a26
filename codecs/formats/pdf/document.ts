/**
 * Makes a PDF smaller that stays the document it is: text, fonts, links, forms and structure are not touched. JPEG
 * images get a new quality on their coefficients, other data are deflated again without loss, and objects are packed
 * (ISO 32000-1, 7.5.7). Worker side.
 */
import { deflateSync, inflateSync } from 'node:zlib';
import type { PDFDict, PDFDocument, PDFObject, PDFRawStream } from '@cantoo/pdf-lib';
import { jpegQuality } from '../../facts/jpeg.ts';
import type { DocumentRequest, PagesCodec, RecodedDocument } from '../../format-codec.ts';
import { withJpegCodec } from '../../jpeg/codec.ts';
import { recodeJpeg } from '../../jpeg/recode.ts';
import { UPRIGHT } from '../../jpeg/requantize.ts';
import { compressJpeg } from '../../jpeg.ts';
import { readJpegFrame } from '../../jpeg-frame.ts';
import { tryParse } from '../../metadata/damage.ts';

type PdfLib = typeof import('@cantoo/pdf-lib');

/** Streams that inflate to more are left as they are. */
const MAX_STREAM_BYTES = 64 * 2 ** 20;
const BEST_COMPRESSION = 9;
const MAX_QUALITY = 100;
/** Entries that hold metadata of a document, a page or an image, and private data of the program that made it. */
const METADATA_ENTRIES = ['Metadata', 'PieceInfo', 'LastModified'];
/** Types of streams that must stay readable without decoding (ISO 32000-1, 14.3.2). */
const PLAIN_STREAMS = ['/Metadata'];

/**
 * @returns undefined for a document that must not change: encrypted, signed, or so damaged that it cannot be read
 */
export async function recodePdf(bytes: Uint8Array, request: DocumentRequest): Promise<RecodedDocument | undefined> {
  const lib = await import('@cantoo/pdf-lib');
  const document = await load(lib, bytes);
  if (!document || isSigned(lib, document)) return undefined;
  const isStripped = !request.keepsMetadata && removeMetadata(lib, document);
  for (const [, object] of document.context.enumerateIndirectObjects()) {
    if (object instanceof lib.PDFRawStream) recodeStream(lib, object, request);
  }
  // Pages and form fields stay as they are, also if there is none of them.
  const options = { useObjectStreams: true, addDefaultPage: false, updateFieldAppearances: false };
  return { file: await document.save(options), isStripped };
}

async function load(lib: PdfLib, bytes: Uint8Array): Promise<PDFDocument | undefined> {
  try {
    const document = await lib.PDFDocument.load(bytes, { updateMetadata: false });
    return document.isEncrypted ? undefined : document;
  } catch {
    // PDFium reads it nevertheless, or the caller says that it is damaged.
    return undefined;
  }
}

/** Any change makes a signature invalid. */
function isSigned(lib: PdfLib, { context, catalog }: PDFDocument): boolean {
  const range = lib.PDFName.of('ByteRange');
  const isSignature = (object: PDFObject) => object instanceof lib.PDFDict && object.has(range);
  return (
    catalog.has(lib.PDFName.of('Perms')) || context.enumerateIndirectObjects().some(([, object]) => isSignature(object))
  );
}

/** @returns whether there were any */
function removeMetadata(lib: PdfLib, { context }: PDFDocument): boolean {
  const { Info: info } = context.trailerInfo;
  if (info instanceof lib.PDFRef) context.delete(info);
  delete context.trailerInfo.Info;
  let isStripped = info !== undefined;
  for (const [, object] of context.enumerateIndirectObjects()) {
    const dict = dictOf(lib, object);
    for (const key of METADATA_ENTRIES.map((name) => lib.PDFName.of(name))) {
      const value = dict?.get(key);
      if (!dict || !value) continue;
      if (value instanceof lib.PDFRef) context.delete(value);
      dict.delete(key);
      isStripped = true;
    }
  }
  return isStripped;
}

function dictOf(lib: PdfLib, object: PDFObject): PDFDict | undefined {
  if (object instanceof lib.PDFDict) return object;
  return object instanceof lib.PDFStream ? object.dict : undefined;
}

function recodeStream(lib: PdfLib, stream: PDFRawStream, { modules, quality }: DocumentRequest): void {
  const { dict } = stream;
  const entry = (name: string) => dict.lookup(lib.PDFName.of(name));
  // Data in another file.
  if (entry('F') !== undefined || PLAIN_STREAMS.includes(String(entry('Type')))) return;
  const filters = namesOf(lib, entry('Filter'));
  const isBare = entry('DecodeParms') === undefined;
  const isJpeg = filters.at(-1) === '/DCTDecode';
  const isDeflated = filters[0] === '/FlateDecode';
  if (filters.length > (isJpeg && isDeflated ? 2 : 1) || (filters.length > 0 && !isJpeg && !isDeflated)) return;
  const data = isDeflated ? inflate(stream.contents) : stream.contents;
  if (!data) return;
  if (isJpeg && isBare) {
    const jpeg = recodedJpeg(data, entry, { modules, quality });
    if (jpeg && jpeg.length < stream.contents.length) replace(lib, stream, jpeg, 'DCTDecode');
    return;
  }
  const deflated = deflateSync(data, { level: BEST_COMPRESSION });
  if (!isJpeg && deflated.length < stream.contents.length) replace(lib, stream, deflated, 'FlateDecode');
}

function namesOf(lib: PdfLib, filter: PDFObject | undefined): string[] {
  if (filter instanceof lib.PDFArray) return filter.asArray().map(String);
  return filter === undefined ? [] : [String(filter)];
}

function inflate(data: Uint8Array): Uint8Array | undefined {
  try {
    return inflateSync(data, { maxOutputLength: MAX_STREAM_BYTES });
  } catch {
    // Damaged or too large.
    return undefined;
  }
}

/**
 * A JPEG of grey or YCbCr with coarser quantisation, or else with optimal codes. Others are left alone: the meaning of
 * four components depends on the program that wrote them, and a decoding array or a colour key on every sample.
 */
function recodedJpeg(
  data: Uint8Array,
  entry: (name: string) => PDFObject | undefined,
  { modules, quality }: Pick<DocumentRequest, 'modules' | 'quality'>,
): Uint8Array | undefined {
  const components = componentsOf(data);
  if (components !== 1 && components !== 3) return undefined;
  if (entry('Decode') !== undefined || entry('Mask') !== undefined) return undefined;
  // The codec makes no coefficient finer.
  const isCoarser = quality < (jpegQuality(data) ?? MAX_QUALITY);
  const coarser = isCoarser ? compressJpeg(modules, data, { turn: UPRIGHT, quality }) : undefined;
  const written = coarser instanceof Uint8Array ? coarser : data;
  const jpeg = withJpegCodec(modules, (codec) => recodeJpeg(codec, written)) ?? written;
  return componentsOf(jpeg) === components ? jpeg : undefined;
}

const componentsOf = (jpeg: Uint8Array): number | undefined => tryParse(() => readJpegFrame(jpeg))?.components;

function replace(lib: PdfLib, stream: PDFRawStream, data: Uint8Array, filter: string): void {
  stream.updateContents(data);
  stream.dict.set(lib.PDFName.of('Filter'), lib.PDFName.of(filter));
}

export const pdfPages: PagesCodec = {
  // The decoder draws each page of the whole file.
  *split(_bytes, pages) {
    for (let page = 1; page <= pages; page++) yield { page, file: undefined };
  },

  async join(_vips, files) {
    const { PDFDocument } = await import('@cantoo/pdf-lib');
    const whole = await PDFDocument.create({ updateMetadata: false });
    for (const file of files) {
      const one = await PDFDocument.load(file, { updateMetadata: false });
      for (const page of await whole.copyPages(one, one.getPageIndices())) whole.addPage(page);
    }
    return await whole.save();
  },
};
