/**
 * The formats: what each is called and what it can hold. Data only, safe on the main thread. How a format is
 * recognised stands in sniff.ts, how it is read and written in the worker-side registry.
 */

export const OUTPUT_FORMATS = [
  'jpeg',
  'png',
  'webp',
  'avif',
  'gif',
  'tiff',
  'bmp',
  'ico',
  'jxl',
  'pdf',
  'tga',
  'psd',
] as const;
export type OutputFormat = (typeof OUTPUT_FORMATS)[number];

export const INPUT_FORMATS = ['jpeg', 'png', 'webp', 'avif', 'gif', 'tiff', 'bmp', 'ico', 'jxl'] as const;
export type InputFormat = (typeof INPUT_FORMATS)[number];

export type FormatId = OutputFormat | InputFormat;

export interface Format {
  id: FormatId;
  name: string;
  /** Without the dot; the first is used for file names that we write. */
  extensions: readonly [string, ...string[]];
  /** The first is used for output. */
  contentTypes: readonly [string, ...string[]];
  /** Mode lossless is possible when writing. */
  lossless: boolean;
  /** Writing keeps transparency. */
  alpha: boolean;
  animation: boolean;
  /** Deepest sample that writing keeps in mode lossless, in bits. */
  depth: 8 | 16;
  /** Metadata blocks that the container can hold when we write it. */
  holds: { icc: boolean; exif: boolean; xmp: boolean; iptc: boolean; density: boolean };
}

const ALL = { icc: true, exif: true, xmp: true, iptc: true, density: true };
const NONE = { icc: false, exif: false, xmp: false, iptc: false, density: false };

export const FORMATS: Readonly<Record<FormatId, Format>> = {
  jpeg: {
    id: 'jpeg',
    name: 'JPEG',
    extensions: ['jpg', 'jpeg', 'jpe', 'jfif'],
    contentTypes: ['image/jpeg'],
    lossless: false,
    alpha: false,
    animation: false,
    depth: 8,
    holds: ALL,
  },
  png: {
    id: 'png',
    name: 'PNG',
    extensions: ['png', 'apng'],
    contentTypes: ['image/png', 'image/apng'],
    lossless: true,
    alpha: true,
    animation: false,
    depth: 16,
    holds: { ...ALL, iptc: false },
  },
  webp: {
    id: 'webp',
    name: 'WebP',
    extensions: ['webp'],
    contentTypes: ['image/webp'],
    lossless: true,
    alpha: true,
    animation: true,
    depth: 8,
    holds: { ...ALL, iptc: false },
  },
  avif: {
    id: 'avif',
    name: 'AVIF',
    extensions: ['avif', 'avifs'],
    contentTypes: ['image/avif'],
    lossless: true,
    alpha: true,
    animation: false,
    depth: 8,
    holds: { ...ALL, iptc: false },
  },
  gif: {
    id: 'gif',
    name: 'GIF',
    extensions: ['gif'],
    contentTypes: ['image/gif'],
    lossless: false,
    alpha: true,
    animation: true,
    depth: 8,
    holds: NONE,
  },
  tiff: {
    id: 'tiff',
    name: 'TIFF',
    extensions: ['tif', 'tiff'],
    contentTypes: ['image/tiff'],
    lossless: true,
    alpha: true,
    animation: false,
    depth: 16,
    holds: ALL,
  },
  bmp: {
    id: 'bmp',
    name: 'BMP',
    extensions: ['bmp', 'dib'],
    contentTypes: ['image/bmp'],
    lossless: true,
    alpha: false,
    animation: false,
    depth: 8,
    holds: { ...NONE, density: true },
  },
  ico: {
    id: 'ico',
    name: 'Windows icon',
    extensions: ['ico', 'cur'],
    contentTypes: ['image/vnd.microsoft.icon', 'image/x-icon'],
    lossless: true,
    alpha: true,
    animation: false,
    depth: 8,
    holds: NONE,
  },
  jxl: {
    id: 'jxl',
    name: 'JPEG XL',
    extensions: ['jxl'],
    contentTypes: ['image/jxl'],
    lossless: true,
    alpha: true,
    animation: false,
    depth: 16,
    holds: { ...ALL, iptc: false },
  },
  pdf: {
    id: 'pdf',
    name: 'PDF',
    extensions: ['pdf'],
    contentTypes: ['application/pdf'],
    lossless: false,
    alpha: false,
    animation: false,
    depth: 8,
    holds: { ...NONE, density: true },
  },
  tga: {
    id: 'tga',
    name: 'Truevision TGA',
    extensions: ['tga'],
    contentTypes: ['image/x-tga'],
    lossless: true,
    alpha: true,
    animation: false,
    depth: 8,
    holds: NONE,
  },
  psd: {
    id: 'psd',
    name: 'Photoshop document',
    extensions: ['psd'],
    contentTypes: ['image/vnd.adobe.photoshop'],
    lossless: true,
    alpha: true,
    animation: false,
    depth: 8,
    holds: ALL,
  },
};
