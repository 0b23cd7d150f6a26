/**
 * Which of ImageMagick's coders reads which format. Data and a few looks at the first bytes: its own guess is never
 * asked, because it has coders that read addresses, other files and whole languages (HTTP, FILE, MVG, MSL, TEXT).
 */
import { FORMATS, type InputFormat } from '../formats.ts';
import { startsWith } from '../metadata/bytes.ts';

/** How the pictures of a file become pages. */
type Pages =
  /** The first picture is all there is to see: the others are layers, thumbnails or copies in other sizes. */
  | 'first'
  /** Each is a page. */
  | 'each'
  /** Each is drawn over the ones before it, on one canvas. */
  | 'animation'
  /** All are layers of one picture. */
  | 'layers';

export interface Coder {
  /** ImageMagick's name of it. */
  name: string | ((bytes: Uint8Array) => string);
  pages: Pages;
  /** The header does not tell whether there is transparency: the pixels do, and so the probe decodes. */
  alphaInPixels?: true;
  /** Coders that this one calls for parts of the file. */
  calls?: readonly string[];
}

const one = (name: Coder['name'], more: Partial<Coder> = {}): Coder => ({ name, pages: 'first', ...more });
const many = (name: Coder['name'], more: Partial<Coder> = {}): Coder => ({ name, pages: 'each', ...more });

const TABLE = {
  heic: many('HEIC'),
  jp2: one((bytes) => (startsWith(bytes, '\xff\x4f') ? 'J2K' : 'JP2')),
  exr: one('EXR'),
  fits: many('FITS'),
  vicar: one('VICAR'),
  psd: one('PSD'),
  xcf: { name: 'XCF', pages: 'layers' },
  miff: many('MIFF'),
  tga: one('TGA'),
  dpx: one('DPX'),
  cin: one('CIN'),
  dds: one('DDS'),
  tim: one('TIM'),
  otb: one('OTB'),
  jng: one('JNG', { calls: ['JPEG', 'PNG'] }),
  mng: { name: 'MNG', pages: 'animation', calls: ['JPEG', 'PNG'] },
  sixel: one('SIXEL'),
  viff: one('VIFF'),
  mtv: one('MTV'),
  rla: one('RLA'),
  avs: one('AVS'),
  hrz: one('HRZ'),
  cut: one('CUT'),
  wpg: one('WPG'),
  cals: one('CALS', { calls: ['GROUP4', 'TIFF'] }),
  sct: one('SCT'),
  pcd: one('PCD'),
  // SFW and PWP are JPEG files with markers of their own.
  sfw: one((bytes) => (startsWith(bytes, 'SFW95') ? 'PWP' : 'SFW'), { calls: ['SFW', 'PWP', 'JPEG'] }),
  palm: one('PALM'),
  pdb: one('PDB'),
  rgf: one('RGF'),
  aai: one('AAI'),
  art: one('ART'),
  // For what libvips refuses.
  tiff: many('TIFF'),
  raw: one('DNG'),
} as const satisfies Partial<Record<InputFormat, Coder>>;

export type MagickInput = keyof typeof TABLE;

export const CODERS: Readonly<Record<MagickInput, Coder>> = TABLE;

export function isMagickInput(format: InputFormat): format is MagickInput {
  return format in CODERS;
}

/** The coder for a file. */
export function coderOf(format: MagickInput, bytes: Uint8Array): string {
  const { name } = CODERS[format];
  return typeof name === 'string' ? name : name(bytes);
}

/** Every coder that may run. */
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
