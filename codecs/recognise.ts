/** Recognises any format that the service reads, and names some that it does not. Bounded work, never throws. */
import { isDicom } from './dicom/recognise.ts';
import { extensionOf } from './file-extension.ts';
import { FORMATS, INPUT_FORMATS, type InputFormat } from './formats.ts';
import { isIffPicture } from './iff/recognise.ts';
import { isMacPaint } from './legacy/macpaint.ts';
import { isPam } from './legacy/pam.ts';
import { isPcx } from './legacy/pcx.ts';
import { isPict } from './legacy/pict-picture.ts';
import { isSgi } from './legacy/sgi.ts';
import { isXbm } from './legacy/xbm.ts';
import { isXpm } from './legacy/xpm.ts';
import { latin1, startsWith } from './metadata/bytes.ts';
import { isCameraRaw } from './raw/recognise.ts';
import { recogniseScreen } from './screens/recognise.ts';
import { any, at, hasBrand, head, type Matcher } from './signature.ts';
import { isTiff, sniff } from './sniff.ts';
import { isSvg } from './svg/recognise.ts';
import { recogniseVolume } from './volumes/recognise.ts';

/** A format that the service reads, or the name of a recognised format that it does not read. */
export type Recognised = { format: InputFormat } | { unsupported: string };

/**
 * Recognises a format by content, or by extension if it has no signature.
 * @returns undefined for unknown bytes
 */
export function recognise(bytes: Uint8Array, filename?: string): Recognised | undefined {
  const format = sniff(bytes) ?? SIGNATURES.find(([, matches]) => matches(bytes))?.[0] ?? recogniseVolume(bytes);
  if (format) return { format };
  const other = OTHER_SIGNATURES.find(([, matches]) => matches(bytes));
  if (other) return { unsupported: other[0] };
  const named = recogniseByName(extensionOf(filename), bytes);
  return named && { format: named };
}

/** Formats that {@link sniff} does not know. More specific signatures come first. */
const SIGNATURES: readonly (readonly [format: InputFormat, matches: Matcher])[] = [
  // Its first 128 bytes are unspecified and often hold a TIFF header.
  ['dicom', (bytes) => isDicom(bytes)],
  ['raw', isCameraRaw],
  ['tiff', isTiff],
  ['jp2', any(at(0, '\0\0\0\x0cjP  '), at(0, '\xff\x4f\xff\x51'))],
  ['djvu', at(0, 'AT&TFORM')],
  ['xcf', at(0, 'gimp xcf')],
  ['exr', at(0, 'v/1\x01')],
  ['hdr', any(at(0, '#?RADIANCE'), at(0, '#?RGBE'))],
  ['dpx', any(at(0, 'SDPX'), at(0, 'XPDS'))],
  ['cin', any(at(0, '\x80\x2a\x5f\xd7'), at(0, '\xd7\x5f\x2a\x80'))],
  ['fits', at(0, 'SIMPLE  =')],
  ['vicar', at(0, 'LBLSIZE=')],
  ['miff', at(0, 'id=ImageMagick')],
  ['dds', at(0, 'DDS ')],
  ['icns', at(0, 'icns')],
  ['qoi', at(0, 'qoif')],
  ['farbfeld', at(0, 'farbfeld')],
  ['mng', at(0, '\x8aMNG\r\n\x1a\n')],
  ['jng', at(0, '\x8bJNG\r\n\x1a\n')],
  ['xv', at(0, 'P7 332')],
  ['pam', isPam],
  ['pnm', (bytes) => /^P[1-6Ff][\s#]/.test(head(bytes, 3))],
  ['sun', at(0, '\x59\xa6\x6a\x95')],
  ['sgi', isSgi],
  ['viff', at(0, '\xab\x01')],
  ['ilbm', isIffPicture],
  ['xpm', isXpm],
  ['xbm', isXbm],
  ['pcx', isPcx],
  ['dcx', at(0, '\xb1\x68\xde\x3a')],
  ['msp', any(at(0, 'DanM'), at(0, 'LinS'))],
  ['wpg', at(0, '\xffWPC')],
  ['pcd', any(at(2048, 'PCD_'), at(0, 'PCD_OPA'))],
  ['sfw', any(at(0, 'SFW94A'), at(0, 'SFW95'), at(0, 'SFW98'))],
  ['cals', any(at(0, 'srcdocid:'), at(0, 'version: MIL-STD-1840'))],
  ['sct', at(80, 'CT')],
  ['pdb', at(60, 'vIMGView')],
  ['sixel', isSixel],
  ['pict', isPict],
  ['macpaint', isMacPaint],
  ['tga', (bytes) => latin1(bytes.subarray(-18)) === 'TRUEVISION-XFILE.\0'],
  ['svg', (bytes) => !isHtml(bytes) && isSvg(bytes)],
  // Mail gateways and printers add lines before it.
  ['pdf', (bytes) => head(bytes, PDF_HEADER_WITHIN).includes('%PDF-')],
];

/** Formats that are recognised only to name them in the error message. */
const OTHER_SIGNATURES: readonly (readonly [name: string, matches: Matcher])[] = [
  ['QuickTime', hasBrand('qt  ')],
  ['MP4', at(4, 'ftyp')],
  ['JPEG XR', at(0, 'II\xbc\x01')],
  ['PostScript', any(at(0, '%!PS'), at(0, '\xc5\xd0\xd3\xc6'))],
  ['Windows metafile', any(at(0, '\xd7\xcd\xc6\x9a'), at(40, ' EMF'))],
  ['IFF', (bytes) => /^(?:FORM|CAT |LIST)/.test(head(bytes, 4))],
  ['ZIP', at(0, 'PK\x03\x04')],
  ['GZIP', at(0, '\x1f\x8b')],
  ['RAR', at(0, 'Rar!')],
  ['7-Zip', at(0, '7z\xbc\xaf')],
  ['Matroska or WebM', at(0, '\x1a\x45\xdf\xa3')],
  ['Ogg', at(0, 'OggS')],
  ['MP3', at(0, 'ID3')],
  ['RIFF', at(0, 'RIFF')],
  ['HTML', isHtml],
  ['XML', (bytes) => markup(bytes).startsWith('<?xml')],
];

/** Recognises a format without a signature by its extension in the table of formats. */
function recogniseByName(extension: string, bytes: Uint8Array): InputFormat | undefined {
  if (bytes.length === 0) return undefined;
  if (isDicom(bytes, extension)) return 'dicom';
  const screen = recogniseScreen(extension, bytes);
  if (screen) return screen;
  return INPUT_FORMATS.find(
    (id) => FORMATS[id].named && !FORMATS[id].screen && FORMATS[id].extensions.includes(extension),
  );
}

/** Readers look for the start of a PDF within this many bytes (PDF 1.7, annex H, note 13). */
const PDF_HEADER_WITHIN = 1024;

const MARKUP_BYTES = 4096;
const BYTE_ORDER_MARK = /^\xef\xbb\xbf/;

/** Returns the start of a text, without byte order mark and leading space. */
function markup(bytes: Uint8Array): string {
  return head(bytes, MARKUP_BYTES).replace(BYTE_ORDER_MARK, '').trimStart();
}

/**
 * Whether the bytes are a device control string whose numbers end with `q`. It starts with ESC P or the equivalent
 * single byte.
 */
function isSixel(bytes: Uint8Array): boolean {
  const start = startsWith(bytes, '\x1bP') ? 2 : bytes[0] === 0x90 ? 1 : undefined;
  return start !== undefined && /^[0-9;]*q/.test(latin1(bytes.subarray(start, 32)));
}

function isHtml(bytes: Uint8Array): boolean {
  return /^<(?:!doctype html|html|head|body)\b/i.test(markup(bytes));
}
