/**
 * Reads the header of a JPEG XL codestream up to the coding of its first frame (ISO/IEC 18181-1, annexes A, D and F).
 * Bits are read from the lowest up.
 */
import { corruptImage } from '../../errors.ts';
import type { Size } from '../../size.ts';

export interface JxlHeader extends Size {
  /** EXIF orientation, 1 to 8. */
  orientation: number;
  bitDepth: number;
  floating: boolean;
  gray: boolean;
  hasAlpha: boolean;
  /** Samples are coded in a perceptual space, which is always lossy. */
  xyb: boolean;
  /** ITU-T H.273 numbers; undefined with an ICC profile, or with a custom curve or custom primaries. */
  primaries: number | undefined;
  transfer: number | undefined;
  hasProfile: boolean;
  /** Whether the first frame is modular; undefined when the fields in front of it were not read. */
  modular: boolean | undefined;
}

/** A number by its selector: an offset plus that many bits, or a constant. */
type Choice = readonly [offset: number, bits: number];
type Choices = readonly [Choice, Choice, Choice, Choice];

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
      if (byte === undefined) throw corruptImage('jxl', 'the header ends early');
      value += ((byte >> (this.#at & 7)) & 1) * 2 ** bit;
    }
    return value;
  }

  flag(): boolean {
    return this.read(1) === 1;
  }

  choose(choices: Choices): number {
    const [offset, bits] = choices[this.read(2) as 0 | 1 | 2 | 3];
    return offset + this.read(bits);
  }

  alignToByte(): void {
    this.#at = (this.#at + 7) & ~7;
  }
}

const ENUM: Choices = [
  [0, 0],
  [1, 0],
  [2, 4],
  [18, 6],
];
const LENGTH: Choices = [
  [1, 9],
  [1, 13],
  [1, 18],
  [1, 30],
];
const RATIOS: readonly (readonly [number, number])[] = [
  [1, 1],
  [12, 10],
  [4, 3],
  [3, 2],
  [16, 9],
  [5, 4],
  [2, 1],
];
/** Type of an alpha channel among the extra channels. */
const ALPHA = 0;
const SPOT_COLOUR = 2;
const COLOUR_FILTER_ARRAY = 5;
const MAX_EXTRA_CHANNELS = 256;

const GRAY = 1;
const XYB = 2;
const CUSTOM = 2;

/** @throws Failure `corrupt_image` */
export function readJxlHeader(codestream: Uint8Array): JxlHeader {
  const bits = new Bits(codestream);
  if (bits.read(16) !== 0x0aff) throw corruptImage('jxl', 'no signature');
  const size = readSize(bits);
  const metadata = readMetadata(bits);
  return { ...size, ...metadata, modular: metadata.last ? undefined : readCoding(bits, metadata) };
}

function readSize(bits: Bits): { width: number; height: number } {
  const inEights = bits.flag();
  const side = () => (inEights ? 8 * (1 + bits.read(5)) : bits.choose(LENGTH));
  const height = side();
  const ratio = RATIOS[bits.read(3) - 1];
  return { height, width: ratio ? Math.floor((height * ratio[0]) / ratio[1]) : side() };
}

type Metadata = Omit<JxlHeader, 'width' | 'height' | 'modular'> & {
  /** The rest cannot be read without decompressing a profile or knowing an extension. */
  last: boolean;
};

const SRGB = 13;
const BT709 = 1;

function readMetadata(bits: Bits): Metadata {
  const plain: Metadata = {
    orientation: 1,
    bitDepth: 8,
    floating: false,
    gray: false,
    hasAlpha: false,
    xyb: true,
    primaries: BT709,
    transfer: SRGB,
    hasProfile: false,
    last: false,
  };
  if (bits.flag()) return plain;
  const extra = bits.flag();
  const orientation = extra ? 1 + bits.read(3) : 1;
  if (extra) skipExtraFields(bits);
  const depth = readDepth(bits);
  bits.flag();
  const extraChannels = bits.choose([
    [0, 0],
    [1, 0],
    [2, 4],
    [1, 12],
  ]);
  if (extraChannels > MAX_EXTRA_CHANNELS) throw corruptImage('jxl', `${extraChannels} extra channels`);
  let hasAlpha = false;
  for (let channel = 0; channel < extraChannels; channel += 1) if (readChannel(bits) === ALPHA) hasAlpha = true;
  const xyb = bits.flag();
  const colour = readColour(bits);
  if (extra) skipToneMapping(bits);
  const extensions = bits.read(2);
  return { orientation, ...depth, hasAlpha, xyb, ...colour, last: colour.hasProfile || extensions !== 0 };
}

function skipToneMapping(bits: Bits): void {
  if (bits.flag()) return;
  // Brightest and darkest level, what the latter is relative to, and where linear values end.
  for (const count of [16, 16, 1, 16]) bits.read(count);
}

function skipExtraFields(bits: Bits): void {
  if (bits.flag()) readSize(bits);
  if (bits.flag()) skipPreview(bits);
  if (bits.flag()) {
    bits.choose([
      [100, 0],
      [1000, 0],
      [1, 10],
      [1, 30],
    ]);
    bits.choose([
      [1, 0],
      [1001, 0],
      [1, 8],
      [1, 10],
    ]);
    bits.choose([
      [0, 0],
      [0, 3],
      [0, 16],
      [0, 32],
    ]);
    bits.flag();
  }
}

function skipPreview(bits: Bits): void {
  const inEights = bits.flag();
  const side = () =>
    inEights
      ? bits.choose([
          [16, 0],
          [32, 0],
          [1, 5],
          [33, 9],
        ])
      : bits.choose([
          [1, 6],
          [65, 8],
          [321, 10],
          [1345, 12],
        ]);
  side();
  if (bits.read(3) === 0) side();
}

function readDepth(bits: Bits): { bitDepth: number; floating: boolean } {
  const floating = bits.flag();
  if (!floating) {
    const bitDepth = bits.choose([
      [8, 0],
      [10, 0],
      [12, 0],
      [1, 6],
    ]);
    return { bitDepth, floating };
  }
  const bitDepth = bits.choose([
    [32, 0],
    [16, 0],
    [24, 0],
    [1, 6],
  ]);
  bits.read(4);
  return { bitDepth, floating };
}

/** Reads an extra channel and returns its type. */
function readChannel(bits: Bits): number {
  if (bits.flag()) return ALPHA;
  const type = bits.choose(ENUM);
  readDepth(bits);
  bits.choose([
    [0, 0],
    [3, 0],
    [4, 0],
    [1, 3],
  ]);
  const nameLength = bits.choose([
    [0, 0],
    [0, 4],
    [16, 5],
    [48, 10],
  ]);
  for (let letter = 0; letter < nameLength; letter += 1) bits.read(8);
  if (type === ALPHA) bits.flag();
  if (type === SPOT_COLOUR) for (let value = 0; value < 4; value += 1) bits.read(16);
  if (type === COLOUR_FILTER_ARRAY) {
    bits.choose([
      [1, 0],
      [0, 2],
      [3, 4],
      [19, 8],
    ]);
  }
  return type;
}

function readColour(bits: Bits): Pick<JxlHeader, 'gray' | 'primaries' | 'transfer' | 'hasProfile'> {
  if (bits.flag()) return { gray: false, primaries: BT709, transfer: SRGB, hasProfile: false };
  const hasProfile = bits.flag();
  const space = bits.choose(ENUM);
  const gray = space === GRAY;
  if (hasProfile) return { gray, primaries: undefined, transfer: undefined, hasProfile };
  if (space !== XYB && bits.choose(ENUM) === CUSTOM) skipChromaticities(bits, 1);
  const primaries = gray || space === XYB ? undefined : bits.choose(ENUM);
  if (primaries === CUSTOM) skipChromaticities(bits, 3);
  const hasGamma = bits.flag();
  const transfer = hasGamma ? undefined : bits.choose(ENUM);
  if (hasGamma) bits.read(24);
  bits.choose(ENUM);
  return { gray, primaries: primaries === CUSTOM ? undefined : primaries, transfer, hasProfile };
}

function skipChromaticities(bits: Bits, points: number): void {
  for (let value = 0; value < 2 * points; value += 1) {
    bits.choose([
      [0, 19],
      [0, 19],
      [0, 20],
      [0, 21],
    ]);
  }
}

/** Whether the first frame is coded as a modular image and not by the DCT. */
function readCoding(bits: Bits, { last }: Metadata): boolean | undefined {
  // A custom transform comes in front of the frame and is not parsed.
  if (last || !bits.flag()) return undefined;
  bits.alignToByte();
  if (bits.flag()) return false;
  bits.read(2);
  return bits.flag();
}
