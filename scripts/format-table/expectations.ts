/** Tolerances between our pixels and a trusted decoder's, by format and coding. */
import type { InputFormat } from '../../codecs/formats/registry.ts';
import { readTiffTags } from '../../codecs/formats/tiff/tags.ts';
import type { Difference } from './compare.ts';

/** Largest difference of a sample, of 255; undefined for lossy codings, which are judged by the perceptual hash. */
type Tolerance = number | undefined;

/** Maximum number of differing bits in the hashes of one image (`engine/quality/fingerprint.ts`). */
export const MAX_HASH_DISTANCE = 6;

/**
 * Maximum mean difference, because the hash ignores brightness. Scans reduced with other filters differ by up to 27,
 * images decoded with the wrong tone curve by more than 30.
 */
export const MAX_MEAN_DIFFERENCE = 30;

const EXACT = 0;
/** Two decoders may round a conversion of colours or depth to neighbouring values. */
const ROUNDED = 1;
/** Conversion from a profile to sRGB by two colour engines, or by one at another depth. */
const MANAGED = 2;
/** Decoders of Radiance's shared exponents place a value at the start or in the middle of its step. */
const HALF_STEP = 4;
const LOSSY = undefined;

type Rule = Tolerance | ((bytes: Buffer) => Tolerance);

/** All other formats store samples exactly. */
const RULES: Partial<Record<InputFormat, Rule>> = {
  jpeg: LOSSY,
  webp: (bytes) => (bytes.includes('VP8 ', 0, 'latin1') ? LOSSY : EXACT),
  avif: LOSSY,
  svg: LOSSY,
  // Five or six bits per colour.
  bmp: (bytes) => (bytes.readUInt16LE(28) === 16 ? ROUNDED : EXACT),
  tiff: toleranceOfTiff,
  jxl: LOSSY,
  heic: LOSSY,
  jp2: (bytes) => (isReversible(bytes) ? EXACT : LOSSY),
  hdr: HALF_STEP,
  exr: ROUNDED,
  raw: LOSSY,
  pdf: LOSSY,
  djvu: LOSSY,
  dicom: (bytes) => (LOSSY_DICOM.test(bytes.toString('latin1', 0, 4096)) ? LOSSY : ROUNDED),
  nifti: ROUNDED,
  analyze: ROUNDED,
  mgh: ROUNDED,
  fits: ROUNDED,
  psd: (bytes) => (bytes.readUInt16BE(PSD_MODE_AT) === PSD_LAB ? LOSSY : MANAGED),
  dpx: ROUNDED,
  cin: LOSSY,
  pnm: ROUNDED,
  sgi: ROUNDED,
  // Maya's variant: the available decoder multiplies by alpha and divides again.
  ilbm: (bytes) => (/^FOR[48]/.test(bytes.toString('latin1', 0, 4)) ? ROUNDED : EXACT),
  pcd: LOSSY,
  jng: LOSSY,
  // Three bits per colour, or five.
  degas: ROUNDED,
  neochrome: ROUNDED,
  spectrum512: ROUNDED,
  tiny: ROUNDED,
  tim: ROUNDED,
  palm: ROUNDED,
  // Ten bits of density, through curves of 8 bits and of 16. The colours of these screens in sRGB are not standardized.
  koala: LOSSY,
  artstudio: LOSSY,
  doodle: LOSSY,
  zxscreen: LOSSY,
  msx: LOSSY,
  apple2: LOSSY,
  atari8: LOSSY,
};

const PSD_MODE_AT = 24;
const PSD_LAB = 9;

const COMPRESSION = 259;
const PHOTOMETRIC = 262;
/** CIELab, ICCLab and ITULab: decoders differ in the white point and in colours outside sRGB. */
const LAB_IN_TIFF: ReadonlySet<number> = new Set([8, 9, 10]);
/** Old JPEG, JPEG, and JPEG XL, JPEG 2000 and WebP with the numbers of libtiff and GDAL. */
const JPEG_IN_TIFF: ReadonlySet<number> = new Set([6, 7, 34712, 34892, 50001, 50002]);

function toleranceOfTiff(bytes: Buffer): Tolerance {
  const [tags] = readTiffTags(bytes, [COMPRESSION, PHOTOMETRIC], 1);
  const loses = JPEG_IN_TIFF.has(tags?.get(COMPRESSION) ?? 1) || LAB_IN_TIFF.has(tags?.get(PHOTOMETRIC) ?? 1);
  return loses ? LOSSY : ROUNDED;
}

/** UIDs of JPEG baseline and extended, JPEG-LS near-lossless and lossy JPEG 2000 (PS3.5, annex A.4). */
const LOSSY_DICOM = /1\.2\.840\.10008\.1\.2\.4\.(?:50|51|81|91)(?!\d)/;

/**
 * Reads the transformation in the coding style of a code-stream (ISO/IEC 15444-1, A.6.1): 1 is the reversible 5-3
 * filter.
 */
function isReversible(bytes: Buffer): boolean {
  const start = bytes.indexOf(Buffer.from('ff4fff51', 'hex'));
  const style = bytes.indexOf(Buffer.from('ff52', 'hex'), start);
  return bytes[style + 13] === 1;
}

export function toleranceOf(format: InputFormat, bytes: Uint8Array): Tolerance {
  const rule = format in RULES ? RULES[format] : EXACT;
  return typeof rule === 'function' ? rule(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)) : rule;
}

export function isNear({ largest, mean, distance }: Difference, tolerance: Tolerance): boolean {
  return tolerance === undefined ? distance <= MAX_HASH_DISTANCE && mean <= MAX_MEAN_DIFFERENCE : largest <= tolerance;
}
