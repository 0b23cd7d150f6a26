/**
 * Chooses ImageMagick's coder for each format from a table and the first bytes. ImageMagick's own detection is never
 * used, because it has coders that read URLs, other files and whole languages (HTTP, FILE, MVG, MSL, TEXT).
 */
import { FORMATS, type InputFormat } from '../formats/registry.ts';
import { bufferOf, latin1, startsWith } from '../metadata/bytes.ts';
import { jp2Claims } from './jp2-claims.ts';
import { mngClaims } from './mng-claims.ts';
import { psdDeclaredPixels } from './psd-claims.ts';

/** How the images of a file become pages. */
type Pages =
  /** The file has one image. */
  | 'one'
  /** Only the first image counts; the others are the layers that it was composed of. */
  | 'first'
  /** Each image is a page. */
  | 'each'
  /** Each image is drawn over the previous ones, and the result is the page. */
  | 'animation';

export interface Coder {
  /** The name of ImageMagick's coder. */
  name: string | ((bytes: Uint8Array) => string);
  pages: Pages;
  /** Detects transparency where ImageMagick reports it only after decoding the pixels. */
  alpha?: (bytes: Uint8Array) => boolean;
  /**
   * Returns the number of pixels that the headers of all images declare. Needed for coders that visit all declared
   * pixels even if the file is short.
   * @throws Failure `corrupt_image` when the file has none of the pixels
   */
  claims?: (bytes: Uint8Array) => number;
  /** Bytes per pixel that the library of the coder needs for its own samples. Default: none. */
  working?: number;
  /** Coders that this one calls for parts of the file. */
  calls?: readonly string[];
}

const one = (name: Coder['name'], more: Partial<Coder> = {}): Coder => ({ name, pages: 'one', ...more });
const many = (name: Coder['name'], more: Partial<Coder> = {}): Coder => ({ name, pages: 'each', ...more });

/** Offset of the colour type in the header of a JNG: 12 is grey, 14 colour with alpha (JNG 1.0, section 1.1.1). */
const JNG_COLOUR_TYPE_AT = 24;
const JNG_ALPHA = 4;

/** Whether the boxes in front of the codestream define an opacity channel (ISO/IEC 15444-1, I.5.3.6). */
function jp2HasAlpha(bytes: Uint8Array): boolean {
  const header = bufferOf(bytes.subarray(0, JP2_HEADER_WITHIN));
  const at = header.indexOf('cdef') + 4;
  if (at < 4 || at + 2 > header.length) return false;
  const end = Math.min(header.length - 5, at + 2 + header.readUInt16BE(at) * 6);
  for (let entry = at + 2; entry < end; entry += 6) if (header.readUInt16BE(entry + 2) === 1) return true;
  return false;
}

const JP2_HEADER_WITHIN = 4_096;

/** Sums the declared pixels of a MIFF, whose headers are text between the samples. */
function miffClaims(bytes: Uint8Array): number {
  const text = latin1(bytes);
  const numbers = (name: string) =>
    [...text.matchAll(new RegExp(`\\b${name}=(\\d{1,9})`, 'gi'))].map(([, digits]) => Number(digits));
  const [columns, rows] = [numbers('columns'), numbers('rows')];
  return columns.reduce((sum, width, index) => sum + width * (rows[index] ?? 0), 0);
}

/** Descriptors of elements with alpha: RGBA, ABGR (SMPTE 268M-2003, table 1). */
const DPX_DESCRIPTOR_AT = 800;
const DPX_ALPHA: readonly number[] = [51, 52];

const TABLE = {
  heic: many('HEIC'),
  jp2: one((bytes) => (startsWith(bytes, '\xff\x4f') ? 'J2K' : 'JP2'), {
    alpha: jp2HasAlpha,
    claims: jp2Claims,
    // Three components of 32 bits, and ImageMagick's samples.
    working: 16,
  }),
  exr: one('EXR'),
  vicar: one('VICAR'),
  psd: one('PSD', { pages: 'first', claims: psdDeclaredPixels }),
  miff: many('MIFF', { claims: miffClaims }),
  dpx: one('DPX', { alpha: (bytes) => DPX_ALPHA.includes(bytes[DPX_DESCRIPTOR_AT] ?? 0) }),
  cin: one('CIN'),
  dds: one('DDS', { pages: 'first' }),
  tim: one('TIM'),
  otb: one('OTB'),
  jng: one('JNG', {
    alpha: (bytes) => ((bytes[JNG_COLOUR_TYPE_AT] ?? 0) & JNG_ALPHA) !== 0,
    calls: ['JPEG', 'PNG'],
  }),
  mng: one('MNG', { pages: 'animation', alpha: () => true, claims: mngClaims, calls: ['JPEG', 'PNG', 'JNG'] }),
  viff: one('VIFF'),
  mtv: one('MTV'),
  rla: one('RLA'),
  avs: one('AVS'),
  hrz: one('HRZ'),
  cut: one('CUT'),
  wpg: one('WPG'),
  sct: one('SCT'),
  pcd: one('PCD'),
  pdb: one('PDB'),
  aai: one('AAI'),
  // For files that libvips refuses.
  tiff: many('TIFF'),
  jpeg: one('JPEG'),
  raw: one('DNG'),
} as const satisfies Partial<Record<InputFormat, Coder>>;

export type MagickInput = keyof typeof TABLE;

export const CODERS: Readonly<Record<MagickInput, Coder>> = TABLE;

export function isMagickInput(format: InputFormat): format is MagickInput {
  return format in CODERS;
}

/** Returns the coder for a file. */
export function coderOf(format: MagickInput, bytes: Uint8Array): string {
  const { name } = CODERS[format];
  return typeof name === 'string' ? name : name(bytes);
}

/** All coders that may run. */
export const ALLOWED_CODERS: readonly string[] = [
  ...new Set(
    Object.values<Coder>(CODERS).flatMap(({ name, calls = [] }) => [
      ...(typeof name === 'string' ? [name] : []),
      ...calls,
    ]),
  ),
  'J2K',
  'JP2',
].sort();

export const nameOf = (format: MagickInput): string => FORMATS[format].name;
