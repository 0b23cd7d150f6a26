/** A DICOM file (PS3.10, section 7): preamble, file meta information, data set. Safe on the main thread. */
import { inflateRawSync, constants as zlib } from 'node:zlib';
import { corruptImage, imageTooLarge } from '../../errors.ts';
import { DataSet, ElementCursor, FORMAT_NAME, isExplicit, readerOf } from './elements.ts';
import { TAG } from './tags.ts';
import { BIG_ENDIAN_SYNTAX, DEFAULT_SYNTAX, findTransferSyntax, type TransferSyntax } from './transfer-syntax.ts';

const PREFIX = [0x44, 0x49, 0x43, 0x4d]; // DICM
const PREAMBLE_BYTES = 128;
const META_GROUP = 0x0002;
const META_GROUP_LENGTH = 0x00020000;
/** A deflated data set may inflate to a thousand times its size. Real ones are reports, not volumes. */
const MAX_INFLATED_BYTES = 128 * 2 ** 20;

export interface DicomFile {
  syntax: TransferSyntax;
  dataSet: DataSet;
}

/** Returns the offset of the first data element, behind preamble and prefix if present. */
export function findStart(bytes: Uint8Array): number {
  for (const at of [PREAMBLE_BYTES, 0]) {
    if (PREFIX.every((byte, index) => bytes[at + index] === byte)) return at + PREFIX.length;
  }
  return 0;
}

/**
 * Reads the elements of a file, without its pixels.
 * @throws Failure `corrupt_image`, `image_too_large` (inflated)
 */
export function openDicom(bytes: Uint8Array): DicomFile {
  const meta = readMeta(bytes, findStart(bytes));
  const syntax = meta.syntaxUid === undefined ? guessSyntax(bytes, meta.end) : findTransferSyntax(meta.syntaxUid);
  const body = syntax.deflated ? inflate(bytes.subarray(meta.end)) : bytes;
  const start = syntax.deflated ? 0 : meta.end;
  const reader = readerOf(body, syntax.littleEndian);
  return { syntax, dataSet: new DataSet(reader, isExplicit(reader, start, syntax.explicit), start, body.length) };
}

/**
 * Reads the file meta information, which is always explicit and little-endian: the transfer syntax, and where it ends.
 */
function readMeta(bytes: Uint8Array, start: number): { syntaxUid: string | undefined; end: number } {
  const reader = readerOf(bytes, true);
  const cursor = new ElementCursor(reader, isExplicit(reader, start, true));
  let syntaxUid: string | undefined;
  let declaredEnd: number | undefined;
  let at = start;
  // The declared length is often wrong, but a deflated data set may look like anything. So the group ends at the
  // declared length if an element ends there, else at the first element of another group.
  while (at !== declaredEnd && cursor.readHeader(at, bytes.length) && cursor.tag >>> 16 === META_GROUP) {
    const end = cursor.findEnd(bytes.length);
    if (end > bytes.length) break;
    if (cursor.tag === META_GROUP_LENGTH && cursor.length === 4) declaredEnd = end + reader.u32(cursor.at);
    if (cursor.tag === TAG.transferSyntax) syntaxUid = reader.text(cursor.at, end - cursor.at).replace(/[\0 ]+$/, '');
    at = end;
  }
  return { syntaxUid, end: at };
}

/** Guesses the syntax of a data set that declares none. The first elements have small group numbers. */
const guessSyntax = (bytes: Uint8Array, at: number): TransferSyntax =>
  bytes[at] === 0 && bytes[at + 1] !== 0 ? BIG_ENDIAN_SYNTAX : DEFAULT_SYNTAX;

function inflate(bytes: Uint8Array): Uint8Array {
  try {
    // A truncated stream yields the data in front of the cut.
    return inflateRawSync(bytes, { maxOutputLength: MAX_INFLATED_BYTES, finishFlush: zlib.Z_SYNC_FLUSH });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') {
      throw imageTooLarge(`${MAX_INFLATED_BYTES} bytes`, 'a data set that inflates to more');
    }
    throw corruptImage(FORMAT_NAME, error);
  }
}
