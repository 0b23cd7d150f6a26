/** Lists of candidates: the attributes `srcset` and `imagesrcset` (HTML standard, "Parsing a srcset attribute"). */

/** An address with its descriptors. The offsets are relative to the attribute's value. */
export interface SrcsetCandidate {
  start: number;
  end: number;
  /** The descriptors as written, joined with single spaces; null if there are none. */
  descriptor: string | null;
  /** From a `w` descriptor. */
  width: number | null;
  /** From an `x` descriptor. */
  density: number | null;
}

const SEPARATORS = /[\t\n\f\r ,]*/y;
const WORD = /[^\t\n\f\r ]*/y;
const SPACES = /[\t\n\f\r ]*/y;
const DESCRIPTOR_PART = /[^\t\n\f\r ,(]*/y;

/** Only hostile pages have more. */
const MAX_CANDIDATES = 1000;

/** Parses the valid candidates in order, at most 1,000. Invalid ones are left out, as in browsers. */
export function parseSrcset(value: string): SrcsetCandidate[] {
  const candidates: SrcsetCandidate[] = [];
  for (let at = skip(SEPARATORS, value, 0); at < value.length; at = skip(SEPARATORS, value, at)) {
    if (candidates.length >= MAX_CANDIDATES) break;
    const start = at;
    at = skip(WORD, value, at);
    let end = at;
    while (value[end - 1] === ',') end--;
    const descriptors: string[] = [];
    if (end === at) {
      for (at = skip(SPACES, value, at); at < value.length && value[at] !== ','; at = skip(SPACES, value, at)) {
        const descriptorStart = at;
        at = endOfDescriptor(value, at);
        descriptors.push(value.slice(descriptorStart, at));
      }
    }
    const sizes = readDescriptors(descriptors);
    if (sizes) candidates.push({ start, end, descriptor: descriptors.join(' ') || null, ...sizes });
  }
  return candidates;
}

/** Parentheses may contain commas and spaces; an unclosed one extends to the end. */
function endOfDescriptor(value: string, start: number): number {
  let at = skip(DESCRIPTOR_PART, value, start);
  while (value[at] === '(') {
    const close = value.indexOf(')', at);
    if (close === -1) return value.length;
    at = skip(DESCRIPTOR_PART, value, close + 1);
  }
  return at;
}

const INTEGER = /^\d+$/;
const FLOAT = /^-?(?:\d+|\d*\.\d+)(?:[eE][+-]?\d+)?$/;

/** @returns undefined if the descriptors make the candidate invalid */
function readDescriptors(descriptors: readonly string[]): { width: number | null; density: number | null } | undefined {
  let width: number | null = null;
  let density: number | null = null;
  let height: number | null = null;
  for (const descriptor of descriptors) {
    const number = descriptor.slice(0, -1);
    const unit = descriptor.at(-1);
    const value = Number(number);
    if (!Number.isFinite(value)) return undefined;
    if (unit === 'w' && INTEGER.test(number) && width === null && density === null && value > 0) width = value;
    else if (unit === 'x' && FLOAT.test(number) && width === null && density === null && height === null && value >= 0)
      density = value;
    else if (unit === 'h' && INTEGER.test(number) && height === null && density === null && value > 0) height = value;
    else return undefined;
  }
  return height !== null && width === null ? undefined : { width, density };
}

function skip(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  pattern.exec(text);
  return pattern.lastIndex;
}

/** Writes a list, narrow images first. Commas and spaces are encoded because they would end an address. */
export const writeSrcset = (images: readonly { address: string; width: number }[]): string =>
  [...images]
    .sort((one, other) => one.width - other.width)
    .map(({ address, width }) => `${address.replaceAll(/[\s,]/g, encodeURIComponent)} ${width}w`)
    .join(', ');
