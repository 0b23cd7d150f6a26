/**
 * Which of ImageMagick's coders reads which format. Data and a few looks at the first bytes: its own guess is never
 * asked, because it has coders that read addresses, other files and whole languages (HTTP, FILE, MVG, MSL, TEXT).
 */
import { FORMATS, type InputFormat } from '../formats.ts';
import { startsWith } from '../metadata/bytes.ts';

/** How the pictures of a file become pages. */
type Pages =
  /** There is one. */
  | 'one'
  /** The first is all there is to see: the others are the layers that it was made of. */
  | 'first'
  /** Each is a page. */
  | 'each'
  /** Each is drawn over the ones before it: what is to be seen then is the page. */
  | 'animation'
  /** All are layers of one picture, which is what there is to see. */
  | 'layers';

export interface Coder {
  /** ImageMagick's name of it. */
  name: string | ((bytes: Uint8Array) => string);
  pages: Pages;
  /** Whether there is transparency, where ImageMagick only knows it once it has decoded the pixels. */
  alpha?: (bytes: Uint8Array) => boolean;
  /** Coders that this one calls for parts of the file. */
  calls?: readonly string[];
}

const one = (name: Coder['name'], more: Partial<Coder> = {}): Coder => ({ name, pages: 'one', ...more });
const many = (name: Coder['name'], more: Partial<Coder> = {}): Coder => ({ name, pages: 'each', ...more });

/** The colour type in the header of a JNG: 12 is grey, 14 colour with alpha (JNG 1.0, section 1.1.1). */
const JNG_COLOUR_TYPE_AT = 24;
const JNG_ALPHA = 4;

const TABLE = {
  heic: many('HEIC'),
  jp2: one((bytes) => (startsWith(bytes, '\xff\x4f') ? 'J2K' : 'JP2')),
  exr: one('EXR'),
  fits: many('FITS'),
  vicar: one('VICAR'),
  psd: one('PSD', { pages: 'first' }),
  xcf: one('XCF', { pages: 'layers', alpha: () => true }),
  miff: many('MIFF'),
  tga: one('TGA'),
  dpx: one('DPX'),
  cin: one('CIN'),
  dds: one('DDS', { pages: 'first' }),
  tim: one('TIM'),
  otb: one('OTB'),
  jng: one('JNG', {
    alpha: (bytes) => ((bytes[JNG_COLOUR_TYPE_AT] ?? 0) & JNG_ALPHA) !== 0,
    calls: ['JPEG', 'PNG'],
  }),
  mng: one('MNG', { pages: 'animation', alpha: () => true, calls: ['JPEG', 'PNG', 'JNG'] }),
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
  jpeg: one('JPEG'),
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
