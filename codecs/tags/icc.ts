/** Reads an ICC profile (ICC.1:2022): its name, and which of the known RGB spaces it describes. */
import { bufferOf, latin1, Reader } from '../metadata/bytes.ts';
import { tryParse } from '../metadata/damage.ts';
import { guessText, LIMITS, untilNull } from './plain.ts';

export type ProfileSpace = 'srgb' | 'display_p3' | 'adobe_rgb' | 'cmyk' | 'gray' | 'lab' | 'unknown';

export interface ProfileFacts {
  description: string | null;
  space: ProfileSpace;
  /** Whether its transfer function is one for high dynamic range. */
  hdr: boolean;
}

const HEADER_BYTES = 128;
const TAG_ENTRY_BYTES = 12;
const MAX_TAGS = 200;

type Tags = ReadonlyMap<string, Reader>;

/** Reads what is readable, even of a damaged profile. Never throws. */
export function readProfile(icc: Uint8Array): ProfileFacts {
  const tags = tryParse(() => tagsOf(icc)) ?? new Map<string, Reader>();
  const cicp = tryParse(() => cicpOf(tags));
  const space = tryParse(() => latin1(new Reader(icc, 'ICC').slice(16, 4)));
  return {
    description: tryParse(() => descriptionOf(tags)) || null,
    space: SPACES[space ?? ''] ?? (space === 'RGB ' ? (tryParse(() => rgbSpaceOf(tags)) ?? 'unknown') : 'unknown'),
    hdr: cicp !== undefined && isHighDynamicRange(cicp.transfer),
  };
}

/** Signatures of the data colour space (ICC.1:2022, table 19). */
const SPACES: Readonly<Record<string, ProfileSpace>> = { CMYK: 'cmyk', GRAY: 'gray', 'Lab ': 'lab' };

/** @throws Failure `corrupt_image` when there is no tag table */
function tagsOf(icc: Uint8Array): Tags {
  const reader = new Reader(icc, 'ICC');
  const count = Math.min(reader.u32(HEADER_BYTES), MAX_TAGS);
  const tags = new Map<string, Reader>();
  for (let index = 0; index < count; index += 1) {
    const at = HEADER_BYTES + 4 + index * TAG_ENTRY_BYTES;
    const [start, length] = [reader.u32(at + 4), reader.u32(at + 8)];
    const data = tryParse(() => reader.slice(start, length));
    if (data) tags.set(reader.text(at, 4), new Reader(data, 'ICC'));
  }
  return tags;
}

function descriptionOf(tags: Tags): string | undefined {
  const tag = tags.get('desc');
  if (!tag) return undefined;
  switch (tag.text(0, 4)) {
    case 'desc': // Version 2: a count and ASCII.
      return guessText(untilNull(tag.slice(12, Math.min(tag.u32(8), tag.length - 12)))).trim();
    case 'mluc':
      return localisedText(tag);
    case 'text':
      return guessText(untilNull(tag.slice(8, tag.length - 8))).trim();
    default:
      return undefined;
  }
}

const RECORD_BYTES = 12;
const MAX_RECORDS = 100;

/** Returns the English text, or else the first one (ICC.1:2022, 10.15). */
function localisedText(tag: Reader): string | undefined {
  const count = Math.min(tag.u32(8), MAX_RECORDS);
  const records = Array.from({ length: count }, (_, index) => 16 + index * RECORD_BYTES);
  const chosen = records.find((at) => tag.text(at, 2) === 'en') ?? records[0];
  if (chosen === undefined) return undefined;
  const text = tag.slice(tag.u32(chosen + 8), Math.min(tag.u32(chosen + 4), 2 * LIMITS.text) & ~1);
  return bufferOf(text.slice()).swap16().toString('utf16le').split('\0', 1)[0]!.trim();
}

/** Colorants of the known spaces as stored in profiles: red, green and blue in XYZ, adapted to D50. */
const COLORANTS: readonly { space: ProfileSpace; xyz: readonly number[] }[] = [
  { space: 'srgb', xyz: [0.4361, 0.2225, 0.0139, 0.3851, 0.7169, 0.0971, 0.1431, 0.0606, 0.7141] },
  { space: 'display_p3', xyz: [0.5151, 0.2412, -0.0011, 0.292, 0.6922, 0.0419, 0.1571, 0.0666, 0.7841] },
  { space: 'adobe_rgb', xyz: [0.6097, 0.3111, 0.0195, 0.2053, 0.6257, 0.0609, 0.1492, 0.0632, 0.7446] },
];
/** Profiles are rounded differently and adapted by different methods. */
const COLORANT_TOLERANCE = 0.006;
/** Linear light of a middle tone: 0.214 with the sRGB curve, 0.218 with a gamma of 2.2. */
const MIDDLE = { code: 0.5, light: 0.216, tolerance: 0.02 };

function rgbSpaceOf(tags: Tags): ProfileSpace {
  const xyz = ['rXYZ', 'gXYZ', 'bXYZ'].flatMap((name) => {
    const tag = tags.get(name);
    return tag ? [8, 12, 16].map((at) => fixed(tag, at)) : [];
  });
  const curve = tags.get('gTRC');
  if (xyz.length < 9 || !curve || Math.abs(lightAt(curve, MIDDLE.code) - MIDDLE.light) > MIDDLE.tolerance)
    return 'unknown';
  const found = COLORANTS.find((known) =>
    known.xyz.every((value, index) => Math.abs(value - xyz[index]!) <= COLORANT_TOLERANCE),
  );
  return found?.space ?? 'unknown';
}

/** Reads an s15Fixed16Number. */
const fixed = (reader: Reader, at: number): number => (reader.u32(at) | 0) / 0x10000;

/** Evaluates a tone curve (ICC.1:2022, 10.6 and 10.18); NaN for an unknown kind. */
function lightAt(curve: Reader, code: number): number {
  switch (curve.text(0, 4)) {
    case 'curv': {
      const count = curve.u32(8);
      if (count === 0) return code;
      if (count === 1) return code ** (curve.u16(12) / 0x100);
      return curve.u16(12 + 2 * Math.round(code * (count - 1))) / 0xffff;
    }
    case 'para': {
      const [gamma, a = 1, b = 0, c = 0, d = 0] = [0, 1, 2, 3, 4].map((index) =>
        12 + 4 * index + 4 <= curve.length ? fixed(curve, 12 + 4 * index) : 0,
      );
      const kind = curve.u16(8);
      if (kind === 0) return code ** gamma!;
      // All further kinds are this power above a threshold that lies far below the middle.
      return kind <= 4 && !(kind >= 3 && code < d) ? (a * code + b) ** gamma! + (kind === 2 ? c : 0) : Number.NaN;
    }
    default:
      return Number.NaN;
  }
}

/** Coding-independent code points (ITU-T H.273). */
export interface Cicp {
  primaries: number;
  transfer: number;
}

/** Returns the code points of PQ or HLG that a profile holds, whose curves cannot say what to do with bright light. */
export function hdrCodePointsOf(icc: Uint8Array): Cicp | undefined {
  const cicp = tryParse(() => cicpOf(tagsOf(icc)));
  return cicp && isHighDynamicRange(cicp.transfer) ? cicp : undefined;
}

/** Reads the code points (ICC.1:2022, 9.2.17). */
function cicpOf(tags: Tags): Cicp | undefined {
  const tag = tags.get('cicp');
  return tag && { primaries: tag.u8(8), transfer: tag.u8(9) };
}

/** The perceptual quantizer and hybrid log-gamma (ITU-T H.273, table 3). */
const HDR_TRANSFERS: ReadonlySet<number> = new Set([16, 18]);

export const isHighDynamicRange = (transfer: number): boolean => HDR_TRANSFERS.has(transfer);

const BT709 = 1;
const UNSPECIFIED = 2;
const P3_D65 = 12;
const SRGB_TRANSFER = 13;
/** Transfers close enough to sRGB to be reported as sRGB: BT.709, BT.601, unspecified, sRGB. */
const SDR_TRANSFERS: ReadonlySet<number> = new Set([1, 2, 6, 13, 14, 15]);

/** Returns the known space of code points. */
export function spaceOfCicp({ primaries, transfer }: Cicp): ProfileSpace {
  if (primaries === P3_D65 && transfer === SRGB_TRANSFER) return 'display_p3';
  const sdr = SDR_TRANSFERS.has(transfer);
  return sdr && (primaries === BT709 || primaries === UNSPECIFIED) ? 'srgb' : 'unknown';
}
