/** Detects DICOM files. Safe on the main thread: reads a few kilobytes at most and never throws. */
import { ElementCursor, isKnownVr, readerOf } from './elements.ts';
import { findStart } from './file.ts';
import { TAG } from './tags.ts';

/** How much of a file without the prefix is examined. */
const MAX_HEAD_BYTES = 4096;
const META_GROUP = 0x0002;
const IDENTIFYING_GROUP = 0x0008;
/** Recognition code of ACR-NEMA, the predecessor of DICOM, whose files have no SOP class. */
const RECOGNITION_CODE = 0x00080010;
const MIN_ELEMENTS = 3;

/**
 * Detects a file by the prefix `DICM`. Without the prefix the file must start with data elements in the order of their
 * tags, and they must name a class of DICOM objects unless the file's name ends in .dcm.
 * @param extension lower-case, without the dot
 */
export function isDicom(bytes: Uint8Array, extension = ''): boolean {
  if (findStart(bytes) > 0) return true;
  const head = bytes.subarray(0, MAX_HEAD_BYTES);
  return [
    { littleEndian: true, explicit: true },
    { littleEndian: true, explicit: false },
    { littleEndian: false, explicit: true },
  ].some((encoding) => startsWithElements(head, bytes.length, encoding, extension === 'dcm'));
}

function startsWithElements(
  head: Uint8Array,
  fileBytes: number,
  { littleEndian, explicit }: { littleEndian: boolean; explicit: boolean },
  anyClass: boolean,
): boolean {
  const reader = readerOf(head, littleEndian);
  const cursor = new ElementCursor(reader, explicit);
  let last = -1;
  let named = anyClass;
  let elements = 0;
  for (let at = 0; cursor.readHeader(at, head.length); elements++) {
    const { tag, vr, length } = cursor;
    if (elements === 0 && tag >>> 16 !== META_GROUP && tag >>> 16 !== IDENTIFYING_GROUP) return false;
    // After the meta information the encoding may change.
    if (elements > 0 && last >>> 16 === META_GROUP && tag >>> 16 !== META_GROUP) break;
    if (tag <= last || isKnownVr(vr) !== explicit) return false;
    last = tag;
    if (cursor.undefinedLength) break;
    const end = cursor.at + length;
    if (end > fileBytes) return false;
    if (end > head.length) break;
    const text = reader.text(cursor.at, Math.min(length, 64));
    named ||= tag >>> 16 === META_GROUP && tag === TAG.transferSyntax && text.startsWith('1.2.840.10008.1.2');
    named ||= tag === TAG.sopClass && text.startsWith('1.2.840.10008.');
    named ||= tag === RECOGNITION_CODE && text.startsWith('ACR-NEMA');
    at = end;
  }
  return named && elements >= MIN_ELEMENTS;
}
