/** Metadata as a person or a program reads them: names and plain values, never more of them than an answer can hold. */

export type Plain = string | number | boolean | null | Plain[] | { [name: string]: Plain };
export type PlainObject = Record<string, Plain>;

/** Most that one picture's metadata may come to. What is beyond is cut or left out. */
export const CAPS = {
  /** Characters of one text; a longer one is cut and ends with an ellipsis. */
  text: 4000,
  /** Values of one list. */
  list: 100,
  /** Names and values altogether. */
  values: 5000,
  /** Characters altogether. */
  characters: 500_000,
} as const;

const ELLIPSIS = '…';

/** Counts what one picture has already told. Hostile metadata name the same megabyte a hundred thousand times. */
export class Allowance {
  #values: number = CAPS.values;
  #characters: number = CAPS.characters;

  /** Whether one more value may be told. */
  take(): boolean {
    this.#values -= 1;
    return this.#values >= 0;
  }

  /** The text without what control characters and padding surround it, cut to what may still be told. */
  text(value: string): string {
    const longest = Math.max(0, Math.min(CAPS.text, this.#characters));
    // Cut first: what is trimmed may be megabytes of blanks.
    const whole = value.length <= longest;
    const told = whole ? value.trim() : `${value.slice(0, longest).trim()}${ELLIPSIS}`;
    this.#characters -= told.length;
    return told;
  }

  /** The first values of a list, each made plain. */
  list<T>(values: Iterable<T>, plain: (value: T) => Plain | undefined): Plain[] {
    const told: Plain[] = [];
    for (const value of values) {
      if (told.length === CAPS.list || !this.take()) break;
      const made = plain(value);
      if (made !== undefined) told.push(made);
    }
    return told;
  }
}

/** Longer names are no names of properties. */
const MAX_NAME = 200;

/** Adds a value under a name that strangers have chosen, unless there is one already. */
export function put(into: PlainObject, name: string, value: Plain): void {
  if (name.length <= MAX_NAME && name !== '__proto__' && !Object.hasOwn(into, name)) into[name] = value;
}

/** Says how much there is where telling it would be of no use. */
export function binary(bytes: number): PlainObject {
  return { bytes };
}

const DIGITS = 10;

/** The quotient to as many digits as a fraction of two 32-bit numbers is worth; null for what is no number. */
export function quotient(numerator: number, denominator: number): number | null {
  const value = numerator / denominator;
  return Number.isFinite(value) ? Number(value.toPrecision(DIGITS)) : null;
}

const STRICT = new TextDecoder('utf-8', { fatal: true });
/** Room for the longest text that is told. */
const MAX_TEXT_BYTES = 4 * CAPS.text + 4;

/** Text of files that do not say their encoding: UTF-8 when it can be that, else Latin 1. Only the start of a long one. */
export function guessText(bytes: Uint8Array): string {
  const start = bytes.length > MAX_TEXT_BYTES ? wholeCharacters(bytes.subarray(0, MAX_TEXT_BYTES)) : bytes;
  try {
    return STRICT.decode(start);
  } catch {
    return Buffer.from(start.buffer, start.byteOffset, start.byteLength).toString('latin1');
  }
}

/** Without the beginning of a UTF-8 sequence at the end. */
function wholeCharacters(bytes: Uint8Array): Uint8Array {
  let end = bytes.length;
  while (end > bytes.length - 3 && (bytes[end - 1]! & 0xc0) === 0x80) end -= 1;
  return bytes.subarray(0, bytes[end - 1]! >= 0xc0 ? end - 1 : end);
}

/** The bytes in front of the first null. */
export function untilNull(bytes: Uint8Array): Uint8Array {
  const end = bytes.indexOf(0);
  return end === -1 ? bytes : bytes.subarray(0, end);
}
