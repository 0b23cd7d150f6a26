/**
 * Reads data elements as defined in DICOM PS3.5, section 7: implicit and explicit VR, both byte orders, sequences of
 * known and unknown length. One pass without recursion keeps only the elements of tags.ts, so that a file costs no more
 * memory than its own bytes and a few steps for each of them. Safe on the main thread.
 */
import { Reader } from '../../metadata/bytes.ts';
import { ITEM, ITEM_END, SEQUENCE_END, TAG } from './tags.ts';

export const FORMAT_NAME = 'DICOM';

const UNDEFINED_LENGTH = 0xffffffff;
const HEADER_BYTES = 8;
/**
 * Value representations with a 16-bit length (PS3.5, table 7.1-2). All others have 16 unused bits and a 32-bit length.
 */
const SHORT_VRS = new Set('AE AS AT CS DA DS DT FD FL IS LO LT PN SH SL SS ST TM UI UL US'.split(' '));
const LONG_VRS = new Set('OB OD OF OL OV OW SQ SV UC UN UR UT UV'.split(' '));
const KEPT: ReadonlySet<number> = new Set(Object.values(TAG));
const PIXELS: ReadonlySet<number> = new Set([TAG.pixels, TAG.floatPixels, TAG.doublePixels]);
/** No text or list of numbers that is read is longer. */
const MAX_TEXT_LENGTH = 1024;

export interface Element {
  tag: number;
  /** Empty where the data set does not declare it. */
  vr: string;
  /** Start and end of its value in the bytes of the data set. */
  at: number;
  end: number;
  /** The element is a sequence or fragmented pixel data whose length is known only from its end tag. */
  undefinedLength: boolean;
  /** The file ends before the element does. */
  cut: boolean;
}

export const isKnownVr = (vr: string): boolean => SHORT_VRS.has(vr) || LONG_VRS.has(vr);

/** Reads the elements in a range of bytes one by one. */
export class ElementCursor {
  readonly #reader: Reader;
  readonly #explicit: boolean;
  tag = 0;
  vr = '';
  at = 0;
  length = 0;

  constructor(reader: Reader, explicit: boolean) {
    this.#reader = reader;
    this.#explicit = explicit;
  }

  /** Whether a complete element header is at the position. If so, its fields are set on the cursor. */
  readHeader(at: number, end: number): boolean {
    if (at + HEADER_BYTES > end) return false;
    const reader = this.#reader;
    this.tag = reader.u16(at) * 0x10000 + reader.u16(at + 2);
    this.at = at + HEADER_BYTES;
    this.vr = '';
    const first = reader.u8(at + 4);
    const second = reader.u8(at + 5);
    // Some writers omit the VR of single elements.
    const named = this.#explicit && isUpperCase(first) && isUpperCase(second) && !isDelimiter(this.tag);
    if (!named) {
      this.length = reader.u32(at + 4);
      return true;
    }
    this.vr = String.fromCharCode(first, second);
    if (SHORT_VRS.has(this.vr)) {
      this.length = reader.u16(at + 6);
      return true;
    }
    if (at + HEADER_BYTES + 4 > end) return false;
    this.length = reader.u32(at + HEADER_BYTES);
    this.at += 4;
    return true;
  }

  /** Returns the end of the element whose header was read last, behind its end tag where its length is undefined. */
  findEnd(end: number): number {
    if (this.length !== UNDEFINED_LENGTH) return this.at + this.length;
    // PS3.5, section 6.2.2: the content of an unknown sequence of undefined length is in implicit VR.
    const inner = new ElementCursor(this.#reader, this.#explicit && this.vr !== 'UN');
    let at = this.at;
    // Nested sequences and items are only counted: they end in the reverse order of their starts.
    for (let depth = 1; depth > 0; ) {
      if (!inner.readHeader(at, end)) return end;
      if (inner.tag === ITEM_END || inner.tag === SEQUENCE_END) {
        depth--;
        at += HEADER_BYTES;
      } else if (inner.length === UNDEFINED_LENGTH) {
        depth++;
        at = inner.at;
      } else {
        at = inner.at + inner.length;
      }
    }
    return at;
  }

  get undefinedLength(): boolean {
    return this.length === UNDEFINED_LENGTH;
  }
}

const isUpperCase = (byte: number): boolean => byte >= 0x41 && byte <= 0x5a;

const isDelimiter = (tag: number): boolean => tag === ITEM || tag === ITEM_END || tag === SEQUENCE_END;

/** The elements of one data set or of one item of a sequence. */
export class DataSet {
  readonly reader: Reader;
  readonly explicit: boolean;
  /** The first element of each tag. */
  readonly #elements = new Map<number, Element>();

  /** Reads up to the pixel data, the end tag of an item, or the end. */
  constructor(reader: Reader, explicit: boolean, start: number, end: number) {
    this.reader = reader;
    this.explicit = explicit;
    const cursor = new ElementCursor(reader, explicit);
    for (let at = start; cursor.readHeader(at, end); ) {
      const { tag, vr, undefinedLength, at: valueAt } = cursor;
      // Groups below 2 belong to messages, not files, so this is zero padding.
      if (tag === ITEM_END || tag >>> 16 === 0) break;
      const valueEnd = cursor.findEnd(end);
      if (KEPT.has(tag) && !this.#elements.has(tag)) {
        const cut = valueEnd > end;
        this.#elements.set(tag, { tag, vr, at: valueAt, end: Math.min(valueEnd, end), undefinedLength, cut });
      }
      if (PIXELS.has(tag) || valueEnd >= end) break;
      at = valueEnd;
    }
  }

  get(tag: number): Element | undefined {
    return this.#elements.get(tag);
  }

  /** Returns the bytes of a value. */
  bytes(tag: number): Uint8Array | undefined {
    const element = this.#elements.get(tag);
    return element && this.reader.bytes.subarray(element.at, element.end);
  }

  text(tag: number): string | undefined {
    const element = this.#elements.get(tag);
    if (!element) return undefined;
    const text = this.reader.text(element.at, Math.min(MAX_TEXT_LENGTH, element.end - element.at));
    return text.replace(/[\0 ]+$/, '').trimStart();
  }

  /** Reads decimal numbers in text (VR DS and IS). Values that are not numbers are left out. */
  decimals(tag: number): number[] {
    const text = this.text(tag);
    return text ? text.split('\\').map(Number.parseFloat).filter(Number.isFinite) : [];
  }

  /** Reads an unsigned number of 16 or 32 bits (VR US and UL). */
  integer(tag: number): number | undefined {
    const element = this.#elements.get(tag);
    if (!element) return undefined;
    const bytes = element.end - element.at;
    if (element.vr === 'UL' && bytes >= 4) return this.reader.u32(element.at);
    return bytes >= 2 ? this.reader.u16(element.at) : undefined;
  }

  /** Reads the 16-bit numbers of a value, such as descriptors and tables. */
  words(tag: number): Uint16Array | undefined {
    const element = this.#elements.get(tag);
    if (!element) return undefined;
    const words = new Uint16Array((element.end - element.at) >> 1);
    for (let word = 0; word < words.length; word++) words[word] = this.reader.u16(element.at + word * 2);
    return words;
  }

  /** Returns one item of a sequence, counted from 0. */
  item(tag: number, index = 0): DataSet | undefined {
    const element = this.#elements.get(tag);
    if (!element) return undefined;
    const explicit = this.explicit && element.vr !== 'UN';
    const cursor = new ElementCursor(this.reader, explicit);
    let at = element.at;
    for (let item = 0; cursor.readHeader(at, element.end) && cursor.tag === ITEM; item++) {
      const end = cursor.findEnd(element.end);
      if (item === index) return new DataSet(this.reader, explicit, cursor.at, Math.min(end, element.end));
      at = end;
    }
    return undefined;
  }
}

/**
 * Whether the elements at a position name their VR. Checked because some writers declare one encoding and write the
 * other.
 * @param announced what the transfer syntax declares; used where the bytes do not decide
 */
export function isExplicit(reader: Reader, at: number, announced: boolean): boolean {
  if (at + HEADER_BYTES > reader.length) return announced;
  return isKnownVr(reader.text(at + 4, 2));
}

export const readerOf = (bytes: Uint8Array, littleEndian: boolean): Reader =>
  new Reader(bytes, FORMAT_NAME, littleEndian);
