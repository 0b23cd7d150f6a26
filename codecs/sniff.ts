/** Recognises a file by its first bytes. Main-thread safe: no WebAssembly, bounded work, never throws. */
import { Failure } from '../base/failure.ts';
import { DIB_HEADER_BYTES } from './dib.ts';
import type { InputFormat } from './formats.ts';
import { readIconDirectory } from './icon.ts';
import { latin1, startsWith, viewOf } from './metadata/bytes.ts';
import { readTiffTags } from './tiff-tags.ts';

/** A format that the service reads, or the name of another one that was recognised. */
export type Sniffed = { format: InputFormat } | { unsupported: string };

type Matcher = (bytes: Uint8Array) => boolean;

/** @returns undefined for bytes that are nothing we know */
export function sniff(bytes: Uint8Array): Sniffed | undefined {
  for (const [format, matches] of Object.entries(FORMAT_SIGNATURES)) {
    if (matches(bytes)) return { format: format as InputFormat };
  }
  const other = OTHER_SIGNATURES.find(([, matches]) => matches(bytes));
  return other && { unsupported: other[0] };
}

const FORMAT_SIGNATURES: Record<InputFormat, Matcher> = {
  // The fourth byte of JPEG-LS names its own frame marker.
  jpeg: (bytes) => startsWith(bytes, '\xff\xd8\xff') && bytes[3] !== JPEG_LS_FRAME,
  png: at(0, '\x89PNG\r\n\x1a\n'),
  webp: all(at(0, 'RIFF'), at(8, 'WEBP')),
  avif: hasBrand('avif', 'avis'),
  gif: any(at(0, 'GIF87a'), at(0, 'GIF89a')),
  tiff: (bytes) => isTiff(bytes) && !isCameraRaw(bytes) && !isDicom(bytes),
  bmp: isBmp,
  ico: (bytes) => readIconDirectory(bytes) !== undefined,
  jxl: any(at(0, '\xff\x0a'), at(0, '\0\0\0\x0cJXL \r\n\x87\n')),
};

/** In order: what is more special comes first. */
const OTHER_SIGNATURES: readonly (readonly [name: string, matches: Matcher])[] = [
  // Its first 128 bytes are free, and often hold a TIFF header.
  ['DICOM', isDicom],
  ['camera raw', any(isTiff, hasBrand('crx '))],
  [
    'camera raw',
    any(at(0, 'FUJIFILMCCD-RAW'), at(0, 'IIU\0'), at(0, 'IIR'), at(0, 'MMOR'), at(0, 'FOVb'), at(0, '\0MRM')),
  ],
  ['HEIC', hasBrand('heic', 'heix', 'heim', 'heis', 'hevc', 'hevx', 'hevm', 'hevs')],
  ['HEIF', hasBrand('mif1', 'mif2', 'mif3', 'msf1')],
  ['QuickTime', hasBrand('qt  ')],
  ['MP4', at(4, 'ftyp')],
  ['JPEG-LS', at(0, '\xff\xd8\xff')],
  ['JPEG 2000', any(at(0, '\0\0\0\x0cjP  '), at(0, '\xff\x4f\xff\x51'))],
  ['JPEG XR', at(0, 'II\xbc\x01')],
  ['PDF', at(0, '%PDF-')],
  ['PostScript', any(at(0, '%!PS'), at(0, '\xc5\xd0\xd3\xc6'))],
  ['PSD', at(0, '8BPS')],
  ['GIMP image', at(0, 'gimp xcf')],
  ['OpenEXR', at(0, 'v/1\x01')],
  ['Radiance HDR', at(0, '#?')],
  ['DPX', any(at(0, 'SDPX'), at(0, 'XPDS'))],
  ['FITS', at(0, 'SIMPLE  =')],
  ['NIfTI', any(at(344, 'n+1\0'), at(344, 'ni1\0'))],
  ['DjVu', at(0, 'AT&TFORM')],
  ['DirectDraw surface', at(0, 'DDS ')],
  ['Apple icon', at(0, 'icns')],
  ['QOI', at(0, 'qoif')],
  ['MNG', at(0, '\x8aMNG')],
  ['Netpbm', (bytes) => /^P[1-7Ff]\s/.test(head(bytes, 3))],
  ['PCX', ([manufacturer, version, encoding]) => manufacturer === 0x0a && version! <= 5 && encoding === 1],
  ['Sun raster', at(0, '\x59\xa6\x6a\x95')],
  ['SGI', at(0, '\x01\xda')],
  ['IFF', (bytes) => /^(?:FORM|CAT |LIST)/.test(head(bytes, 4))],
  ['XPM', at(0, '/* XPM */')],
  ['XBM', at(0, '#define ')],
  ['Windows metafile', any(at(0, '\xd7\xcd\xc6\x9a'), at(40, ' EMF'))],
  ['ZIP', at(0, 'PK\x03\x04')],
  ['GZIP', at(0, '\x1f\x8b')],
  ['RAR', at(0, 'Rar!')],
  ['7-Zip', at(0, '7z\xbc\xaf')],
  ['Matroska or WebM', at(0, '\x1a\x45\xdf\xa3')],
  ['Ogg', at(0, 'OggS')],
  ['MP3', at(0, 'ID3')],
  ['RIFF', at(0, 'RIFF')],
  ['HTML', (bytes) => /^<(?:!doctype html|html|head|body)\b/i.test(markup(bytes))],
  ['SVG', (bytes) => markup(bytes).startsWith('<') && /<(?:\w{1,20}:)?svg[\s>]/i.test(markup(bytes))],
  ['XML', (bytes) => markup(bytes).startsWith('<?xml')],
];

const JPEG_LS_FRAME = 0xf7;

function at(offset: number, signature: string): Matcher {
  return (bytes) => startsWith(bytes.subarray(offset), signature);
}

function any(...matchers: readonly Matcher[]): Matcher {
  return (bytes) => matchers.some((matches) => matches(bytes));
}

function all(...matchers: readonly Matcher[]): Matcher {
  return (bytes) => matchers.every((matches) => matches(bytes));
}

function head(bytes: Uint8Array, length: number): string {
  return latin1(bytes.subarray(0, length));
}

const MARKUP_BYTES = 4096;
const BYTE_ORDER_MARK = /^\xef\xbb\xbf/;

/** The start of a text, without byte order mark and leading space. */
function markup(bytes: Uint8Array): string {
  return head(bytes, MARKUP_BYTES).replace(BYTE_ORDER_MARK, '').trimStart();
}

const MOST_BRANDS = 64;

/** The brands of the file type box that files of the ISO base media family start with (ISO/IEC 14496-12, 4.3). */
function hasBrand(...wanted: readonly string[]): Matcher {
  return (bytes) => {
    if (!startsWith(bytes.subarray(4), 'ftyp')) return false;
    const boxEnd = Math.min(viewOf(bytes).getUint32(0), 16 + MOST_BRANDS * 4, bytes.length);
    // The major brand, its version, then the compatible brands.
    for (let offset = 8; offset + 4 <= boxEnd; offset += 4) {
      if (offset !== 12 && wanted.includes(latin1(bytes.subarray(offset, offset + 4)))) return true;
    }
    return false;
  };
}

/** `BM` alone also starts many a text. */
function isBmp(bytes: Uint8Array): boolean {
  return startsWith(bytes, 'BM') && bytes.length >= 18 && DIB_HEADER_BYTES.includes(viewOf(bytes).getUint32(14, true));
}

const TIFF_SIGNATURES = ['II*\0', 'MM\0*', 'II+\0', 'MM\0+'];

function isTiff(bytes: Uint8Array): boolean {
  return TIFF_SIGNATURES.includes(head(bytes, 4));
}

function isDicom(bytes: Uint8Array): boolean {
  return startsWith(bytes.subarray(128), 'DICM');
}

const NEW_SUBFILE_TYPE = 254;
const REDUCED_RESOLUTION = 1;
const DNG_VERSION = 50706;

/**
 * Camera raw files are TIFF too, but a TIFF reader finds sensor data or a thumbnail in them. DNG says what it is; in
 * the others the first picture is a thumbnail.
 */
function isCameraRaw(bytes: Uint8Array): boolean {
  try {
    const [tags] = readTiffTags(bytes, [NEW_SUBFILE_TYPE, DNG_VERSION], 1);
    if (!tags) return false;
    return tags.has(DNG_VERSION) || ((tags.get(NEW_SUBFILE_TYPE) ?? 0) & REDUCED_RESOLUTION) !== 0;
  } catch (error) {
    // A damaged directory: let the decoder of TIFF say so.
    if (error instanceof Failure) return false;
    throw error;
  }
}
