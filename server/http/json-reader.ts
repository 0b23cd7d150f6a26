/**
 * Checks JSON while its bytes arrive. JSON.parse blocks the event loop for seconds on a few megabytes of keys or
 * brackets, and for 50 ms on one string with 5 million escapes. So size, depth and number of values are limited before
 * it runs. One long string is cut out of the document and decoded chunk by chunk; JSON.parse reads only the small rest.
 */
import { randomUUID } from 'node:crypto';
import type { Failure } from '../../base/failure.ts';
import { ByteCollector } from './byte-collector.ts';
import { invalidRequest } from './errors.ts';

/** JSON holds parameters and URLs, never an image. */
export const DEFAULT_MAX_JSON_BYTES = 64 * 1024;

export const MAX_JSON_DEPTH = 64;
export const DEFAULT_MAX_JSON_VALUES = 10_000;

export interface JsonLimits {
  /** Size of the document without the long text, in bytes. */
  maxBytes?: number;
  /** The one field whose text may be long, with its maximum size as sent, in bytes. Default: none. */
  longText?: { field: string; maxBytes: number };
  /** Number of values and object keys. */
  maxValues?: number;
  /** What the body must be, for the message. Default: `a JSON object`. */
  expectation?: string;
  /** The failure for a body, or a long text, that is too large. */
  tooLarge?: () => Failure;
}

/** Texts up to this size stay in the document. */
const LONG_TEXT_BYTES = 16 * 1024;

const [QUOTE, BACKSLASH, COLON, COMMA] = [0x22, 0x5c, 0x3a, 0x2c];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];
const LETTER_U = 0x75;
const HEX_DIGITS = 4;

export class JsonReader {
  readonly #maxBytes: number;
  readonly #longTextField: string | undefined;
  readonly #maxLongTextBytes: number;
  readonly #maxValues: number;
  /** The failure for a larger body. */
  readonly tooLarge: () => Failure;
  /** The document, with a placeholder for each long text. */
  readonly #document = new ByteCollector();
  readonly #longTexts = new Map<string, LongText>();
  /** The long text that is being read. */
  #longText: LongText | undefined;
  /** Offset in the document of the text that is being read. */
  #textStart = 0;
  #longTextBytes = 0;
  #isText = false;
  #isEscape = false;
  /** Hexadecimal digits of a `\u` escape that are still missing. */
  #hexDigitsLeft = 0;
  /** The last of `,` `:` `[` `{` outside strings. */
  #lastStructure = 0;
  #depth = 0;
  #values = 1;

  constructor(limits: JsonLimits = {}) {
    this.#maxBytes = limits.maxBytes ?? DEFAULT_MAX_JSON_BYTES;
    this.#longTextField = limits.longText?.field;
    this.#maxLongTextBytes = limits.longText?.maxBytes ?? 0;
    this.#maxValues = limits.maxValues ?? DEFAULT_MAX_JSON_VALUES;
    this.tooLarge = limits.tooLarge ?? (() => jsonTooLarge(this.#maxBytes, this.#longTextField));
  }

  /** The maximum size of a body within the limits, in bytes. */
  get maxBodyBytes(): number {
    return this.#maxBytes + this.#maxLongTextBytes;
  }

  /**
   * Adds the next bytes of the body.
   * @throws Failure `invalid_request`, or the result of `tooLarge`, as soon as a limit is exceeded
   */
  push(chunk: Uint8Array): void {
    const quotes = new ByteFinder(chunk, QUOTE);
    const backslashes = new ByteFinder(chunk, BACKSLASH);
    let start = 0;
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at]!;
      if (!this.#isText) {
        if (byte !== QUOTE) this.#count(byte);
        else {
          this.#isText = true;
          this.#document.push(chunk.subarray(start, at));
          start = at;
          this.#textStart = this.#document.length;
        }
      } else if (this.#hexDigitsLeft > 0) this.#hexDigitsLeft -= 1;
      else if (this.#isEscape) {
        this.#isEscape = false;
        if (byte === LETTER_U) this.#hexDigitsLeft = HEX_DIGITS;
      } else if (byte === BACKSLASH) this.#isEscape = true;
      else if (byte !== QUOTE) at = Math.min(quotes.next(at), backslashes.next(at)) - 1;
      else {
        this.#keep(chunk.subarray(start, at));
        start = at;
        this.#isText = false;
        if (this.#longText === undefined) continue;
        this.#document.push(this.#longText.placeholder);
        this.#longText = undefined;
        start = at + 1;
      }
    }
    this.#keep(chunk.subarray(start));
  }

  /**
   * Returns the parsed value, or undefined if the bytes are not JSON in UTF-8.
   * @throws Failure `invalid_request` for a long text in any other field
   */
  finish(): { value: unknown } | undefined {
    const fields: string[] = [];
    try {
      const text = new TextDecoder('utf-8', { fatal: true }).decode(this.#document.finish());
      if (this.#longTexts.size === 0) return { value: JSON.parse(text) };
      const texts = new Map([...this.#longTexts].map(([id, longText]) => [id, longText.finish()]));
      const value: unknown = JSON.parse(text, (field, each: unknown) => {
        const longText = typeof each === 'string' ? texts.get(each) : undefined;
        if (longText !== undefined) fields.push(field);
        return longText ?? each;
      });
      if (fields.every((field) => field === this.#longTextField)) return { value };
    } catch {
      return undefined;
    }
    throw jsonTooLarge(this.#maxBytes, this.#longTextField);
  }

  #count(byte: number): void {
    switch (byte) {
      case OPEN_LIST:
      case OPEN_OBJECT:
        this.#depth += 1;
        if (this.#depth > MAX_JSON_DEPTH) throw jsonTooDeep();
        break;
      case CLOSE_LIST:
      case CLOSE_OBJECT:
        this.#depth -= 1;
        return;
      case COLON:
      case COMMA:
        break;
      default:
        return;
    }
    this.#lastStructure = byte;
    this.#values += 1;
    if (this.#values > this.#maxValues) throw tooManyValues(this.#maxValues);
  }

  /** Adds bytes to the document or to the current long text. */
  #keep(bytes: Uint8Array): void {
    if (this.#longText) this.#keepLongText(bytes);
    else {
      this.#document.push(bytes);
      if (this.#mayBeLongText && this.#document.length - this.#textStart > LONG_TEXT_BYTES) this.#beginLongText();
    }
    // The current text does not count yet, because it may become the long text.
    const documentBytes = this.#mayBeLongText ? this.#textStart : this.#document.length;
    if (documentBytes > this.#maxBytes) throw jsonTooLarge(this.#maxBytes, this.#longTextField);
  }

  /** Whether the current text is the value of a field and may be long. */
  get #mayBeLongText(): boolean {
    return this.#isText && this.#lastStructure === COLON && this.#maxLongTextBytes > 0;
  }

  #beginLongText(): void {
    const id = randomUUID();
    this.#longText = new LongText(id);
    this.#longTexts.set(id, this.#longText);
    // Skip its quotation mark.
    this.#keepLongText(this.#document.cut(this.#textStart).subarray(1));
  }

  #keepLongText(bytes: Uint8Array): void {
    this.#longTextBytes += bytes.length;
    if (this.#longTextBytes > this.#maxLongTextBytes) throw this.tooLarge();
    const begunEscape = this.#isEscape ? 1 : this.#hexDigitsLeft > 0 ? 2 + HEX_DIGITS - this.#hexDigitsLeft : 0;
    this.#longText!.push(bytes, begunEscape);
  }
}

/** Finds the positions of one byte in ascending order. Searches each position at most once. */
class ByteFinder {
  readonly #bytes: Uint8Array;
  readonly #wanted: number;
  #found = -1;

  constructor(bytes: Uint8Array, wanted: number) {
    this.#bytes = bytes;
    this.#wanted = wanted;
  }

  /** Returns the first position that is not before `start`, or the length if there is none. */
  next(start: number): number {
    if (this.#found < start) {
      const found = this.#bytes.indexOf(this.#wanted, start);
      this.#found = found === -1 ? this.#bytes.length : found;
    }
    return this.#found;
  }
}

/** A text that is decoded chunk by chunk. */
class LongText {
  /** Replaces the text in the document. It is random, so no body can contain it. */
  readonly placeholder: Uint8Array;
  // Keeps a byte order mark: here it is part of the text, not the start of the document.
  readonly #decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  readonly #pieces: string[] = [];
  /** The beginning of an escape sequence that continues in the next chunk. */
  #escapeStart = '';
  #isInvalid = false;

  constructor(id: string) {
    this.placeholder = Buffer.from(`"${id}"`);
  }

  /** @param begunEscape number of bytes at the end that begin an escape sequence */
  push(bytes: Uint8Array, begunEscape: number): void {
    try {
      const text = this.#escapeStart + this.#decoder.decode(bytes, { stream: true });
      // Escape sequences are ASCII, so one byte is one character.
      const end = text.length - begunEscape;
      this.#escapeStart = text.slice(end);
      this.#pieces.push(JSON.parse(`"${text.slice(0, end)}"`));
    } catch {
      this.#isInvalid = true;
    }
  }

  /** @throws SyntaxError if it was not a JSON string */
  finish(): string {
    if (this.#isInvalid) throw new SyntaxError('no text of JSON');
    this.#decoder.decode();
    return this.#pieces.join('');
  }
}

function jsonTooLarge(maxBytes: number, besideField?: string): Failure {
  const what = `at most ${maxBytes} bytes of JSON`;
  return invalidRequest(besideField === undefined ? what : `${what} beside ${besideField}`, 'the body', 'more');
}

const jsonTooDeep = (): Failure => invalidRequest(`JSON of at most ${MAX_JSON_DEPTH} levels`, 'the body', 'more');

const tooManyValues = (maxValues: number): Failure =>
  invalidRequest(`JSON of at most ${maxValues} keys and values`, 'the body', 'more');
