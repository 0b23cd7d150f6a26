/**
 * Reads images of Seattle FilmWorks: JPEG files with different marker numbers and without their Huffman tables, which
 * are the standard ones. An album (PWP) contains several, one after the other.
 */
import { corruptImage, pageOutOfRange } from '../../errors.ts';
import type { FormatReader } from '../../format-reader.ts';
import { readJpegFrame } from '../../jpeg-frame.ts';
import { bufferOf, bytesOf, concat, uint16 } from '../../metadata/bytes.ts';
import { createExif } from '../../metadata/exif.ts';
import { FORMATS } from '../registry.ts';

const SIGNATURE = 'SFW9';
const START = Buffer.from([0xff, 0xc8, 0xff, 0xd0]);
const MAX_IMAGES = 1_000;
/** The markers of the file, and those of JPEG (ITU-T T.81, table B.1). */
const MARKERS: ReadonlyMap<number, number> = new Map([
  [0xc8, 0xd8],
  [0xd0, 0xe0],
  [0xcb, 0xdb],
  [0xa0, 0xc0],
  [0xa4, 0xc4],
  [0xca, 0xda],
]);
const APP0 = 0xe0;
const HUFFMAN_TABLES_MARKER = 0xc4;
const SCAN = 0xda;
const END = Buffer.from([0xff, 0xc9]);
/** Name and version. The file has another name here, and no version. */
const JFIF = bytesOf('JFIF\0\x01\x02');

/** The four tables that most JPEG files use, as segments (ITU-T T.81, K.3). */
const HUFFMAN_TABLES = Buffer.from(
  '/8QAHwAAAQUBAQEBAQEAAAAAAAAAAAECAwQFBgcICQoL' +
    '/8QAtRAAAgEDAwIEAwUFBAQAAAF9AQIDAAQRBRIhMUEGE1FhByJxFDKBkaEII0KxwRVS0fAkM2JyggkKFhcYGRolJicoKSo0NTY3ODk6Q0RF' +
    'RkdISUpTVFVWV1hZWmNkZWZnaGlqc3R1dnd4eXqDhIWGh4iJipKTlJWWl5iZmqKjpKWmp6ipqrKztLW2t7i5usLDxMXGx8jJytLT1NXW19jZ' +
    '2uHi4+Tl5ufo6erx8vP09fb3+Pn6' +
    '/8QAHwEAAwEBAQEBAQEBAQAAAAAAAAECAwQFBgcICQoL' +
    '/8QAtREAAgECBAQDBAcFBAQAAQJ3AAECAxEEBSExBhJBUQdhcRMiMoEIFEKRobHBCSMzUvAVYnLRChYkNOEl8RcYGRomJygpKjU2Nzg5OkNE' +
    'RUZHSElKU1RVVldYWVpjZGVmZ2hpanN0dXZ3eHl6goOEhYaHiImKkpOUlZaXmJmaoqOkpaanqKmqsrO0tba3uLm6wsPExcbHyMnK0tPU1dbX' +
    '2Nna4uPk5ebn6Onq8vP09fb3+Pn6',
  'base64',
);

export const reader: FormatReader = {
  probe(bytes, { page }) {
    const { jpeg, pages } = findImage(bytes, page);
    const frame = readJpegFrame(jpeg);
    if (!frame || frame.width === 0 || frame.height === 0) throw corruptImage(FORMATS.sfw.name);
    return { width: frame.width, height: frame.height, pages, depth: 8, hasAlpha: false };
  },
  decode(bytes, { page }) {
    return { embedded: { format: 'jpeg', bytes: findImage(bytes, page).jpeg } };
  },
};

function findImage(bytes: Uint8Array, page: number): { jpeg: Uint8Array; pages: number } {
  const buffer = bufferOf(bytes);
  const starts: number[] = [];
  // The signature of the image is repeated in its first segment.
  for (let at = buffer.indexOf(START); at !== -1 && starts.length < MAX_IMAGES; at = buffer.indexOf(START, at + 4)) {
    if (buffer.toString('latin1', at + 6, at + 10) === SIGNATURE) starts.push(at);
  }
  if (starts.length === 0) throw corruptImage(FORMATS.sfw.name);
  const start = starts[page - 1];
  if (start === undefined) throw pageOutOfRange(page, starts.length);
  return { jpeg: toJpeg(buffer.subarray(start, starts[page])), pages: starts.length };
}

/** The rows are stored from bottom to top. */
const BOTTOM_LEFT = 4;

function orientationSegment(): Uint8Array {
  const payload = concat([bytesOf('Exif\0\0'), createExif({ orientation: BOTTOM_LEFT })]);
  return concat([Uint8Array.of(0xff, 0xe1), uint16(payload.length + 2), payload]);
}

function toJpeg(image: Buffer): Uint8Array {
  const parts: Uint8Array[] = [Uint8Array.of(0xff, 0xd8), orientationSegment()];
  let tables = false;
  for (let at = 2; at + 4 <= image.length; ) {
    const marker = image[at] === 0xff ? MARKERS.get(image[at + 1]!) : undefined;
    if (marker === undefined) break;
    const end = at + 2 + image.readUInt16BE(at + 2);
    const segment = Uint8Array.from(image.subarray(at, end));
    segment[1] = marker;
    if (marker === APP0) segment.set(JFIF.subarray(0, Math.max(0, segment.length - 4)), 4);
    tables ||= marker === HUFFMAN_TABLES_MARKER;
    if (marker !== SCAN) parts.push(segment);
    else {
      const last = image.indexOf(END, end);
      const data = image.subarray(end, last === -1 ? image.length : last);
      parts.push(...(tables ? [] : [HUFFMAN_TABLES]), segment, data);
      return concat(last === -1 ? parts : [...parts, Uint8Array.of(0xff, 0xd9)]);
    }
    at = end;
  }
  throw corruptImage(FORMATS.sfw.name);
}
