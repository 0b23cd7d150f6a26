/** Reads the colour range from the sequence header of AV1 (AV1 Bitstream & Decoding Process Specification, 5.5). */
import { corruptImage } from '../errors.ts';
import { readUnsigned } from '../leb128.ts';
import { tryParse } from '../metadata/damage.ts';

/** Header of the box `av1C`, and its four bytes in front of the OBUs (AV1-ISOBMFF, section 2.3.3). */
const OBUS_AT = 8 + 4;
const SEQUENCE_HEADER = 1;

/** Reads bits, the highest of each byte first. */
class Bits {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** Reads at most 32 bits. @throws Failure `corrupt_image` at the end */
  read(count: number): number {
    let value = 0;
    for (let bit = 0; bit < count; bit += 1, this.#at += 1) {
      const byte = this.#bytes[this.#at >> 3];
      if (byte === undefined) throw corruptImage('AVIF', 'the sequence header ends early');
      value = value * 2 + ((byte >> (7 - (this.#at & 7))) & 1);
    }
    return value;
  }

  flag(): boolean {
    return this.read(1) === 1;
  }
}

/**
 * Whether the samples of a track without colour lie between 16 and 235 (of 8 bits) instead of using the whole range.
 * @param configuration the box `av1C`
 */
export const isLimitedRange = (configuration: Uint8Array): boolean =>
  tryParse(() => readIsLimited(configuration.subarray(OBUS_AT))) ?? false;

function readIsLimited(obus: Uint8Array): boolean {
  for (let at = 0; at < obus.length; ) {
    const header = obus[at]!;
    const hasExtension = (header & 4) !== 0;
    const [size, start] = readUnsigned(obus, at + (hasExtension ? 2 : 1));
    if (((header >> 3) & 15) === SEQUENCE_HEADER) return isLimitedIn(new Bits(obus.subarray(start, start + size)));
    at = start + size;
  }
  return false;
}

function isLimitedIn(bits: Bits): boolean {
  const profile = bits.read(3);
  bits.flag();
  const isReduced = bits.flag();
  if (isReduced) bits.read(5);
  else skipOperatingPoints(bits);
  const [widthBits, heightBits] = [bits.read(4) + 1, bits.read(4) + 1];
  bits.read(widthBits);
  bits.read(heightBits);
  if (!isReduced && bits.flag()) bits.read(7);
  // Superblock size, intra filters.
  bits.read(3);
  if (!isReduced) skipInterTools(bits);
  // Superresolution, CDEF, restoration.
  bits.read(3);
  const isHigh = bits.flag();
  if (profile === 2 && isHigh) bits.flag();
  const isGrey = profile !== 1 && bits.flag();
  if (bits.flag()) bits.read(24);
  return isGrey && !bits.flag();
}

function skipOperatingPoints(bits: Bits): void {
  let delayBits: number | undefined;
  if (bits.flag()) {
    bits.read(32);
    bits.read(32);
    if (bits.flag()) skipExponentialGolomb(bits);
    if (bits.flag()) {
      delayBits = bits.read(5) + 1;
      bits.read(32);
      bits.read(10);
    }
  }
  const hasDisplayDelay = bits.flag();
  const points = bits.read(5) + 1;
  for (let point = 0; point < points; point += 1) {
    bits.read(12);
    if (bits.read(5) > 7) bits.flag();
    if (delayBits !== undefined && bits.flag()) {
      bits.read(delayBits);
      bits.read(delayBits);
      bits.flag();
    }
    if (hasDisplayDelay && bits.flag()) bits.read(4);
  }
}

function skipExponentialGolomb(bits: Bits): void {
  let zeros = 0;
  while (zeros < 32 && !bits.flag()) zeros += 1;
  if (zeros < 32) bits.read(zeros);
}

function skipInterTools(bits: Bits): void {
  // Compound prediction, warped motion, dual filter.
  bits.read(4);
  const hasOrder = bits.flag();
  if (hasOrder) bits.read(2);
  const mayHaveScreenContent = bits.flag() || bits.flag();
  if (mayHaveScreenContent && !bits.flag()) bits.flag();
  if (hasOrder) bits.read(3);
}
