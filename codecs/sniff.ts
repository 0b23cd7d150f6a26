/**
 * Recognises the most common formats by their first bytes. Fast, and loads nothing else. recognise.ts recognises the
 * others too. Main-thread safe: no WebAssembly, bounded work, never throws.
 */
import { DIB_HEADER_BYTES } from './dib.ts';
import type { InputFormat } from './formats.ts';
import { readIconDirectory } from './icon.ts';
import { JPEG_LS_FRAME, readJpegFrame } from './jpeg-frame.ts';
import { startsWith, viewOf } from './metadata/bytes.ts';
import { tryParse } from './metadata/damage.ts';
import { all, any, at, hasBrand, head, type Matcher } from './signature.ts';

/**
 * Recognises a common format.
 * @returns undefined for any other bytes
 */
export function sniff(bytes: Uint8Array): InputFormat | undefined {
  return SIGNATURES.find(([, matches]) => matches(bytes))?.[0];
}

const SIGNATURES: readonly (readonly [format: InputFormat, matches: Matcher])[] = [
  ['jls', (bytes) => startsWith(bytes, '\xff\xd8\xff') && isJpegLs(bytes)],
  ['jpeg', at(0, '\xff\xd8\xff')],
  ['png', at(0, '\x89PNG\r\n\x1a\n')],
  ['webp', all(at(0, 'RIFF'), at(8, 'WEBP'))],
  ['gif', any(at(0, 'GIF87a'), at(0, 'GIF89a'))],
  ['avif', hasBrand('avif', 'avis')],
  ['heic', hasBrand('heic', 'heix', 'heim', 'heis', 'hevc', 'hevx', 'hevm', 'hevs', 'mif1', 'mif2', 'mif3', 'msf1')],
  ['bmp', isBmp],
  ['ico', (bytes) => readIconDirectory(bytes) !== undefined],
  ['jxl', any(at(0, '\xff\x0a'), at(0, '\0\0\0\x0cJXL \r\n\x87\n'))],
  ['psd', at(0, '8BPS')],
];

/** Whether the bytes are a BMP. Checks the header too, because many texts start with `BM`. */
function isBmp(bytes: Uint8Array): boolean {
  return startsWith(bytes, 'BM') && bytes.length >= 18 && DIB_HEADER_BYTES.includes(viewOf(bytes).getUint32(14, true));
}

const TIFF_SIGNATURES = ['II*\0', 'MM\0*', 'II+\0', 'MM\0+'];

/** Whether the bytes start like a TIFF. Camera raw and DICOM files may do so too. */
export function isTiff(bytes: Uint8Array): boolean {
  return TIFF_SIGNATURES.includes(head(bytes, 4));
}

/** Whether a JPEG is a JPEG-LS. Only its frame header differs, which may follow other segments. */
function isJpegLs(bytes: Uint8Array): boolean {
  return tryParse(() => readJpegFrame(bytes))?.marker === JPEG_LS_FRAME;
}
