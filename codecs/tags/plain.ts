/** Metadata as names and plain values, limited to what a response can hold. */

export type MetadataValue = string | number | boolean | null | MetadataValue[] | { [name: string]: MetadataValue };
export type MetadataObject = Record<string, MetadataValue>;

/** Limits for one image's metadata. Anything beyond is cut or left out. */
export const LIMITS = {
  /** Characters of one text; a longer one is cut and ends with an ellipsis. */
  text: 4000,
  /** Values of one list. */
  list: 100,
  /** Total number of names and values. */
  values: 5000,
  /** Total number of characters. */
  characters: 500_000,
} as const;

const ELLIPSIS = '…';

/** Counts the values and characters of one image's metadata. Hostile metadata name the same megabyte 100,000 times. */
export class MetadataBudget {
  #values: number = LIMITS.values;
  #characters: number = LIMITS.characters;

  /** Whether one more value is allowed. */
  take(): boolean {
    this.#values -= 1;
    return this.#values >= 0;
  }

  /** Trims the text and cuts it to the characters that are left. */
  text(value: string): string {
    const longest = Math.max(0, Math.min(LIMITS.text, this.#characters));
    // Cut first: the text to be trimmed may be megabytes of blanks.
    const whole = value.length <= longest;
    const cut = whole ? value.trim() : `${value.slice(0, longest).trim()}${ELLIPSIS}`;
    this.#characters -= cut.length;
    return cut;
  }

  /** Converts the first values of a list. */
  list<T>(values: Iterable<T>, plain: (value: T) => MetadataValue | undefined): MetadataValue[] {
    const converted: MetadataValue[] = [];
    for (const value of values) {
      if (converted.length === LIMITS.list || !this.take()) break;
      const made = plain(value);
      if (made !== undefined) converted.push(made);
    }
    return converted;
  }
}

/** Property names are never longer than this. */
const MAX_NAME = 200;

/** Adds a value unless the name, which comes from an untrusted file, is taken or unsafe. */
export function put(into: MetadataObject, name: string, value: MetadataValue): void {
  if (name.length <= MAX_NAME && name !== '__proto__' && !Object.hasOwn(into, name)) into[name] = value;
}

/** Returns only the length of data whose content would be of no use. */
export const binary = (bytes: number): MetadataObject => ({ bytes });

const DIGITS = 10;

/** Divides to as many digits as a fraction of two 32-bit numbers is worth; null when the result is not finite. */
export function quotient(numerator: number, denominator: number): number | null {
  const value = numerator / denominator;
  return Number.isFinite(value) ? Number(value.toPrecision(DIGITS)) : null;
}

const STRICT = new TextDecoder('utf-8', { fatal: true });
/** Enough bytes for the longest text that is returned. */
const MAX_TEXT_BYTES = 4 * LIMITS.text + 4;

/** Decodes text of unknown encoding: as UTF-8 when valid, else as Latin 1. Reads only the start of a long text. */
export function guessText(bytes: Uint8Array): string {
  const start = bytes.length > MAX_TEXT_BYTES ? wholeCharacters(bytes.subarray(0, MAX_TEXT_BYTES)) : bytes;
  try {
    return STRICT.decode(start);
  } catch {
    return Buffer.from(start.buffer, start.byteOffset, start.byteLength).toString('latin1');
  }
}

/** Drops an incomplete UTF-8 sequence at the end. */
function wholeCharacters(bytes: Uint8Array): Uint8Array {
  let end = bytes.length;
  while (end > bytes.length - 3 && (bytes[end - 1]! & 0xc0) === 0x80) end -= 1;
  return bytes.subarray(0, bytes[end - 1]! >= 0xc0 ? end - 1 : end);
}

/** Returns the bytes in front of the first null. */
export function untilNull(bytes: Uint8Array): Uint8Array {
  const end = bytes.indexOf(0);
  return end === -1 ? bytes : bytes.subarray(0, end);
}
