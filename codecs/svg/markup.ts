/** Decodes the bytes of an SVG file to text. Safe on the main thread. */
import { gunzipSync, constants as zlib } from 'node:zlib';
import { corruptImage, imageTooLarge } from '../errors.ts';
import { latin1, startsWith } from '../metadata/bytes.ts';
import { SVG_NAME } from './name.ts';

/**
 * Maximum characters of the text of one file, decompressed and with entities expanded. Drawings with embedded
 * photographs are smaller.
 */
export const MAX_MARKUP = 32 * 1024 * 1024;

const GZIP = '\x1f\x8b';
const DECLARATION_BYTES = 200;

export const markupTooLarge = (): ReturnType<typeof imageTooLarge> =>
  imageTooLarge(`${MAX_MARKUP} characters of SVG`, 'more');

/** Returns the whole text, decompressed if needed. @throws Failure `corrupt_image`, `image_too_large` */
export const readMarkup = (bytes: Uint8Array): string => decodeText(unpacked(bytes));

/** Returns the whole text; undefined when some bytes are invalid in the encoding that the file declares. */
export function readExactMarkup(bytes: Uint8Array): string | undefined {
  const plain = unpacked(bytes);
  try {
    return new TextDecoder(encodingOf(plain), { fatal: true }).decode(plain);
  } catch {
    return undefined;
  }
}

/** Whether the file is compressed with gzip. */
export const isPacked = (bytes: Uint8Array): boolean => startsWith(bytes, GZIP);

function unpacked(bytes: Uint8Array): Uint8Array {
  const plain = isPacked(bytes) ? unpack(bytes) : bytes;
  if (plain.length > MAX_MARKUP) throw markupTooLarge();
  return plain;
}

function unpack(bytes: Uint8Array): Uint8Array {
  try {
    return gunzipSync(bytes, { maxOutputLength: MAX_MARKUP });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw markupTooLarge();
    throw corruptImage(SVG_NAME, error);
  }
}

/** Returns the text of the first `length` bytes; '' when they cannot be decompressed. */
export function readMarkupHead(bytes: Uint8Array, length: number): string {
  const head = bytes.subarray(0, length);
  return decodeText(isPacked(head) ? unpackHead(head, length) : head);
}

function unpackHead(head: Uint8Array, length: number): Uint8Array {
  try {
    // The stream is cut where the head ends. Deflate compresses at most 1032 bytes into one: 4 MB.
    const packed = head.subarray(0, Math.ceil(length / 8));
    return gunzipSync(packed, { finishFlush: zlib.Z_SYNC_FLUSH }).subarray(0, length);
  } catch {
    return new Uint8Array();
  }
}

/** Decodes by byte order mark, first characters or declaration (XML 1.0, appendix F), else as UTF-8. */
const decodeText = (bytes: Uint8Array): string => new TextDecoder(encodingOf(bytes)).decode(bytes);

/** Returns the encoding as a label of the Encoding standard. */
export function encodingOf(bytes: Uint8Array): string {
  if (startsWith(bytes, '\xff\xfe') || startsWith(bytes, '<\0')) return 'utf-16le';
  if (startsWith(bytes, '\xfe\xff') || startsWith(bytes, '\0<')) return 'utf-16be';
  const declaration = latin1(bytes.subarray(0, DECLARATION_BYTES));
  const [, declared = ''] = /^\s*<\?xml\s[^>]{0,100}?encoding\s*=\s*["']([\w.:-]{1,40})["']/.exec(declaration) ?? [];
  // A declaration of a 16-bit encoding in 8-bit text is wrong.
  return isEncoding(declared) && !/utf-?16|ucs/i.test(declared) ? declared : 'utf-8';
}

function isEncoding(label: string): boolean {
  try {
    new TextDecoder(label);
    return label !== '';
  } catch {
    return false;
  }
}
