/**
 * The workloads, each declared once: the input, the parameters of Imagecrew, and the code that a user of each other
 * library would write for the same result.
 */
import type { IMagickImage } from '@imagemagick/magick-wasm';
import type { Sharp } from 'sharp';
import type { OutputFormat } from '../codecs/formats/registry.ts';
import type { CompressParams } from '../engine/operations/compress/params.ts';
import type { Recipe } from './contenders/jsquash-worker.ts';
import type { InputName } from './inputs.ts';

/** Reason why a library cannot run the workload. */
export interface Missing {
  missing: string;
}

export interface Workload {
  name: string;
  title: string;
  input: InputName;
  format: OutputFormat;
  /** Target width; the height follows. Without it the size stays. */
  width?: number;
  /** Every pixel must be kept. */
  lossless?: boolean;
  /** Every frame must be kept. */
  animated?: boolean;
  /** Parameters in addition to format and width. */
  imagecrew: Partial<CompressParams>;
  /** Encodes; the image is already resized. */
  sharp: ((image: Sharp) => Sharp) | Missing;
  /** Code of a user who asks sharp for small files; undefined if sharp's defaults already give these. */
  'sharp-small'?: (image: Sharp) => Sharp;
  jsquash: Pick<Recipe, 'decoder' | 'encoder' | 'options'> | Missing;
  /** Sets the encoder's options; the image is already resized. */
  magick: ((image: IMagickImage) => void) | Missing;
}

const QUALITY = 75;

/** JPEG in, JPEG or WebP out, at the same quality number with each library's own defaults. */
const jpegToJpeg = {
  format: 'jpeg',
  imagecrew: { quality: QUALITY },
  sharp: (image) => image.jpeg({ quality: QUALITY }),
  'sharp-small': (image) => image.jpeg({ quality: QUALITY, mozjpeg: true }),
  jsquash: { decoder: 'jpeg', encoder: 'jpeg', options: { quality: QUALITY } },
  magick: (image) => {
    image.quality = QUALITY;
  },
} as const satisfies Partial<Workload>;

const toWebp = {
  format: 'webp',
  imagecrew: { quality: QUALITY },
  sharp: (image) => image.webp({ quality: QUALITY }),
  magick: (image) => {
    image.quality = QUALITY;
  },
} as const satisfies Partial<Workload>;

const toPng = {
  format: 'png',
  lossless: true,
  imagecrew: { mode: 'lossless' },
  sharp: (image) => image.png(),
  'sharp-small': (image) => image.png({ adaptiveFiltering: true }),
  magick: () => {},
} as const satisfies Partial<Workload>;

const jpegToWebp = { ...toWebp, jsquash: { decoder: 'jpeg', encoder: 'webp', options: { quality: QUALITY } } } as const;

export const WORKLOADS: readonly Workload[] = [
  { name: 'jpeg-same-size', title: '6 MP JPEG to JPEG, same size', input: 'photo-6mp', ...jpegToJpeg },
  { name: 'jpeg-1024', title: '6 MP JPEG to JPEG, 1024 px', input: 'photo-6mp', width: 1024, ...jpegToJpeg },
  { name: 'webp-320', title: '6 MP JPEG to WebP, 320 px', input: 'photo-6mp', width: 320, ...jpegToWebp },
  { name: 'webp-1600', title: '24 MP JPEG to WebP, 1600 px', input: 'photo-24mp', width: 1600, ...jpegToWebp },
  { name: 'webp-same-size', title: '6 MP JPEG to WebP, same size', input: 'photo-6mp', ...jpegToWebp },
  {
    name: 'avif',
    title: '1 MP JPEG to AVIF',
    input: 'photo-1mp',
    format: 'avif',
    imagecrew: { quality: 60 },
    // libheif has a different quality scale: at this one sharp's file and ours both have a Butteraugli 3-norm of 1.41 (the
    // one of ImageMagick 1.44), and sharp's has 1.07 times our bytes; over three photographs 1.03 times, and 0.98 times at
    // equal SSIMULACRA2. Effort 0 needs 1.21 times our bytes, and full colour resolution, sharp's default, 1.12 times.
    sharp: (image) => image.avif({ quality: 52, effort: 1, chromaSubsampling: '4:2:0' }),
    jsquash: { decoder: 'jpeg', encoder: 'avif', options: { quality: 60 } },
    magick: (image) => {
      image.quality = 51;
    },
  },
  {
    name: 'jxl',
    title: '1 MP JPEG to JPEG XL',
    input: 'photo-1mp',
    format: 'jxl',
    imagecrew: { quality: QUALITY },
    sharp: { missing: 'its prebuilt libvips has no JPEG XL' },
    jsquash: { decoder: 'jpeg', encoder: 'jxl', options: { quality: QUALITY } },
    magick: (image) => {
      image.quality = QUALITY;
    },
  },
  {
    name: 'screenshot-png',
    title: 'PNG screenshot to PNG, lossless',
    input: 'screenshot',
    ...toPng,
    jsquash: { decoder: 'png', encoder: 'png', options: {} },
  },
  {
    name: 'photo-png',
    title: '1 MP JPEG to PNG, lossless',
    input: 'photo-1mp',
    ...toPng,
    jsquash: { decoder: 'jpeg', encoder: 'png', options: {} },
  },
  {
    name: 'screenshot-webp',
    title: 'PNG screenshot to WebP, lossless',
    input: 'screenshot',
    format: 'webp',
    lossless: true,
    imagecrew: { mode: 'lossless' },
    sharp: (image) => image.webp({ lossless: true }),
    jsquash: { decoder: 'png', encoder: 'webp', options: { lossless: 1 } },
    magick: (image) => image.settings.setDefine('webp:lossless', 'true'),
  },
  {
    name: 'alpha-webp',
    title: '1 MP PNG with transparency to WebP',
    input: 'cutout',
    ...toWebp,
    jsquash: { decoder: 'png', encoder: 'webp', options: { quality: QUALITY } },
  },
  {
    name: 'animated-webp',
    title: 'GIF of 24 frames to animated WebP',
    input: 'animation',
    animated: true,
    ...toWebp,
    jsquash: { missing: 'reads no GIF and writes no animation' },
  },
];

export function workloadNamed(name: string): Workload {
  const found = WORKLOADS.find((workload) => workload.name === name);
  if (!found)
    throw new RangeError(
      `Expected one of ${WORKLOADS.map((each) => each.name).join(', ')} for the workload but received ${name}.`,
    );
  return found;
}

export function isMissing(entry: object): entry is Missing {
  return 'missing' in entry;
}

/** Parameters of `compress` that differ from their defaults. */
export function requestOf({ format, width, imagecrew }: Workload): Partial<CompressParams> {
  return { format, ...(width === undefined ? {} : { width }), ...imagecrew };
}
