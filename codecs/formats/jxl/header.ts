/**
 * Reads the header of a JPEG XL codestream up to the coding of its first frame (ISO/IEC 18181-1, annexes A, D and F).
 * Bits are read from the lowest up.
 */
import type { Size } from '../../../base/geometry.ts';
import { corruptImage } from '../../errors.ts';
import { Bits, type Choices } from './bits.ts';

export interface JxlHeader extends Size {
  /** EXIF orientation, 1 to 8. */
  orientation: number;
  bitDepth: number;
  floating: boolean;
  gray: boolean;
  hasAlpha: boolean;
  /** In addition to the colour channels, and to alpha if there is any. */
  extraChannels: readonly ExtraChannel[];
  /** Undefined if the header has only default values. */
  fields: HeaderFields | undefined;
  /** Samples are coded in a perceptual space, which is always lossy. */
  xyb: boolean;
  /** ITU-T H.273 numbers; undefined with an ICC profile, or with a custom curve or custom primaries. */
  primaries: number | undefined;
  transfer: number | undefined;
  hasProfile: boolean;
  /** Whether the first frame is modular; undefined when the fields in front of it were not read. */
  modular: boolean | undefined;
}

/** Positions are in bits from the start of the codestream. */
interface BitRange {
  at: number;
  end: number;
}

export interface ExtraChannel extends BitRange {
  type: number;
  /** Bit depth and resolution; undefined for the default, 8 bits at the resolution of the image. */
  samples: BitRange | undefined;
}

export interface HeaderFields {
  /** Position of the flag that says whether there are orientation, intrinsic size, preview and animation. */
  extraFieldsAt: number;
  hasExtraFields: boolean;
  hasIntrinsicSize: boolean;
  isAnimated: boolean;
  /** Behind the colour encoding. The tone mapping is there only with `hasExtraFields`. */
  toneMappingAt: number;
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
/** Types of extra channels (ISO/IEC 18181-1, D.3.6). */
export const CHANNEL = { alpha: 0, depth: 1, spotColour: 2, black: 4, colourFilterArray: 5 } as const;
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
    extraChannels: [],
    fields: undefined,
    xyb: true,
    primaries: BT709,
    transfer: SRGB,
    hasProfile: false,
    last: false,
  };
  if (bits.flag()) return plain;
  const extraFieldsAt = bits.at;
  const extra = bits.flag();
  const orientation = extra ? 1 + bits.read(3) : 1;
  const { hasIntrinsicSize, isAnimated } = extra ? skipExtraFields(bits) : NO_EXTRA_FIELDS;
  const fields = { extraFieldsAt, hasExtraFields: extra, hasIntrinsicSize, isAnimated };
  const depth = readDepth(bits);
  bits.flag();
  const count = bits.choose([
    [0, 0],
    [1, 0],
    [2, 4],
    [1, 12],
  ]);
  if (count > MAX_EXTRA_CHANNELS) throw corruptImage('jxl', `${count} extra channels`);
  const extraChannels = Array.from({ length: count }, () => readChannel(bits));
  const hasAlpha = extraChannels.some(({ type }) => type === CHANNEL.alpha);
  const xyb = bits.flag();
  const colour = readColour(bits);
  const toneMappingAt = bits.at;
  if (extra) skipToneMapping(bits);
  const extensions = bits.read(2);
  const last = colour.hasProfile || extensions !== 0;
  return { orientation, ...depth, hasAlpha, extraChannels, fields: { ...fields, toneMappingAt }, xyb, ...colour, last };
}

function skipToneMapping(bits: Bits): void {
  if (bits.flag()) return;
  // Brightest and darkest level, what the latter is relative to, and where linear values end.
  for (const count of [16, 16, 1, 16]) bits.read(count);
}

type ExtraFields = Pick<HeaderFields, 'hasIntrinsicSize' | 'isAnimated'>;
const NO_EXTRA_FIELDS: ExtraFields = { hasIntrinsicSize: false, isAnimated: false };

function skipExtraFields(bits: Bits): ExtraFields {
  const hasIntrinsicSize = bits.flag();
  if (hasIntrinsicSize) readSize(bits);
  if (bits.flag()) skipPreview(bits);
  const isAnimated = bits.flag();
  if (isAnimated) {
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
  return { hasIntrinsicSize, isAnimated };
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

function readChannel(bits: Bits): ExtraChannel {
  const { at } = bits;
  if (bits.flag()) return { type: CHANNEL.alpha, at, end: bits.at, samples: undefined };
  const type = bits.choose(ENUM);
  const samplesAt = bits.at;
  readDepth(bits);
  bits.choose([
    [0, 0],
    [3, 0],
    [4, 0],
    [1, 3],
  ]);
  const samples = { at: samplesAt, end: bits.at };
  const nameLength = bits.choose([
    [0, 0],
    [0, 4],
    [16, 5],
    [48, 10],
  ]);
  for (let letter = 0; letter < nameLength; letter += 1) bits.read(8);
  if (type === CHANNEL.alpha) bits.flag();
  if (type === CHANNEL.spotColour) for (let value = 0; value < 4; value += 1) bits.read(16);
  if (type === CHANNEL.colourFilterArray) {
    bits.choose([
      [1, 0],
      [0, 2],
      [3, 4],
      [19, 8],
    ]);
  }
  return { type, at, end: bits.at, samples };
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
