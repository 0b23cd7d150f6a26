/**
 * Reads the header of a device-independent bitmap, the image inside BMP and ICO files: BITMAPCOREHEADER, OS/2 2.x,
 * BITMAPINFOHEADER and its V2 to V5 successors (Windows GDI reference, "Bitmap Header Types"). Loads no WebAssembly.
 */
import { type Density, METRES_PER_INCH } from './samples.ts';

const CORE_HEADER_BYTES = 12;
const INFO_HEADER_BYTES = 40;
const OS2_HEADER_BYTES = [16, 64];
const V2_HEADER_BYTES = 52;
const V3_HEADER_BYTES = 56;
const V5_HEADER_BYTES = 124;

/** Sizes of the known headers. Every header starts with its own size, which identifies its version. */
export const DIB_HEADER_BYTES: readonly number[] = [
  CORE_HEADER_BYTES,
  ...OS2_HEADER_BYTES,
  INFO_HEADER_BYTES,
  V2_HEADER_BYTES,
  V3_HEADER_BYTES,
  108,
  V5_HEADER_BYTES,
];

export type DibCoding = 'plain' | 'rle8' | 'rle4' | 'jpeg' | 'png';

/** The bits of a pixel that hold each channel; 0 for a channel that is missing. */
export interface ChannelMasks {
  red: number;
  green: number;
  blue: number;
  alpha: number;
}

export interface DibHeader {
  width: number;
  /** Rows in the bitmap. In an icon this is twice the image's height, because the mask follows the image. */
  height: number;
  /** Whether the first row in the file is the top one; usually it is the bottom one. */
  topDown: boolean;
  bitsPerPixel: 1 | 2 | 4 | 8 | 16 | 24 | 32;
  coding: DibCoding;
  /** Set for pixels of 16 and 32 bits. */
  masks: ChannelMasks | undefined;
  palette: { at: number; colours: number; bytesPerColour: 3 | 4 };
  density: Density | undefined;
  /** Position of the embedded ICC profile. */
  profile: { at: number; bytes: number } | undefined;
}

const BI_RGB = 0;
const BI_RLE8 = 1;
const BI_RLE4 = 2;
const BI_BITFIELDS = 3;
const BI_JPEG = 4;
const BI_PNG = 5;
const BI_ALPHABITFIELDS = 6;

const BIT_DEPTHS: readonly number[] = [1, 2, 4, 8, 16, 24, 32] satisfies DibHeader['bitsPerPixel'][];

const DEFAULT_MASKS: Record<16 | 32, ChannelMasks> = {
  16: { red: 0x7c00, green: 0x03e0, blue: 0x001f, alpha: 0 },
  // The fourth byte is unused by definition and often contains garbage.
  32: { red: 0xff0000, green: 0x00ff00, blue: 0x0000ff, alpha: 0 },
};

/**
 * Reads the header at the start of `dib`. All its positions are relative to the start of `dib`.
 * @returns undefined when this is no header or describes an impossible kind of bitmap
 */
export function readDibHeader(dib: Uint8Array): DibHeader | undefined {
  const view = new DataView(dib.buffer, dib.byteOffset, dib.byteLength);
  const size = dib.length >= 4 ? view.getUint32(0, true) : 0;
  if (!DIB_HEADER_BYTES.includes(size) || dib.length < size) return undefined;
  return size === CORE_HEADER_BYTES ? readCoreHeader(view) : readInfoHeader(view, size);
}

function readCoreHeader(view: DataView): DibHeader | undefined {
  const width = view.getUint16(4, true);
  const height = view.getUint16(6, true);
  const bitsPerPixel = view.getUint16(10, true);
  if (width === 0 || height === 0 || !isBitDepth(bitsPerPixel)) return undefined;
  return {
    width,
    height,
    topDown: false,
    bitsPerPixel,
    coding: 'plain',
    masks: defaultMasks(bitsPerPixel),
    palette: { at: CORE_HEADER_BYTES, colours: paletteSize(bitsPerPixel, 0), bytesPerColour: 3 },
    density: undefined,
    profile: undefined,
  };
}

function readInfoHeader(view: DataView, size: number): DibHeader | undefined {
  const short = size < INFO_HEADER_BYTES;
  const width = view.getInt32(4, true);
  const height = view.getInt32(8, true);
  const declaredBits = view.getUint16(14, true);
  const compression = short ? BI_RGB : view.getUint32(16, true);
  const coding = codingOf(compression, declaredBits, size);
  // An embedded JPEG or PNG has its own depth; the header says 0.
  const bitsPerPixel = coding === 'jpeg' || coding === 'png' ? 24 : declaredBits;
  if (width <= 0 || height === 0 || !coding || !isBitDepth(bitsPerPixel)) return undefined;

  const maskChannels = compression === BI_BITFIELDS ? 3 : compression === BI_ALPHABITFIELDS ? 4 : 0;
  // The oldest of these headers is followed by its masks; the later ones contain them.
  const masksAfter = size === INFO_HEADER_BYTES ? maskChannels * 4 : 0;
  if (view.byteLength < size + masksAfter) return undefined;
  const hasAlphaMask = size >= V3_HEADER_BYTES || maskChannels === 4;
  return {
    width,
    height: Math.abs(height),
    topDown: height < 0,
    bitsPerPixel,
    coding,
    masks: maskChannels > 0 ? readMasks(view, hasAlphaMask) : defaultMasks(bitsPerPixel),
    palette: {
      at: size + masksAfter,
      colours: paletteSize(bitsPerPixel, short ? 0 : view.getUint32(32, true)),
      bytesPerColour: 4,
    },
    density: short ? undefined : readDensity(view),
    profile: size === V5_HEADER_BYTES ? findProfile(view) : undefined,
  };
}

const isBitDepth = (bits: number): bits is DibHeader['bitsPerPixel'] => BIT_DEPTHS.includes(bits);

function codingOf(compression: number, bits: number, headerBytes: number): DibCoding | undefined {
  // OS/2 defines other codes for numbers from 3 on. No program is known to have written them.
  if (compression >= BI_BITFIELDS && OS2_HEADER_BYTES.includes(headerBytes)) return undefined;
  switch (compression) {
    case BI_RGB:
      return 'plain';
    case BI_RLE8:
      return bits === 8 ? 'rle8' : undefined;
    case BI_RLE4:
      return bits === 4 ? 'rle4' : undefined;
    case BI_BITFIELDS:
    case BI_ALPHABITFIELDS:
      return bits === 16 || bits === 32 ? 'plain' : undefined;
    case BI_JPEG:
      return 'jpeg';
    case BI_PNG:
      return 'png';
    default:
      return undefined;
  }
}

const defaultMasks = (bits: DibHeader['bitsPerPixel']): ChannelMasks | undefined =>
  bits === 16 || bits === 32 ? DEFAULT_MASKS[bits] : undefined;

function readMasks(view: DataView, hasAlpha: boolean): ChannelMasks {
  const [red, green, blue] = [40, 44, 48].map((at) => view.getUint32(at, true)) as [number, number, number];
  return { red, green, blue, alpha: hasAlpha ? view.getUint32(52, true) : 0 };
}

/**
 * Returns the number of palette colours. Bitmaps above 8 bits may have a palette too, as a hint for old displays; it
 * must be skipped.
 */
const paletteSize = (bits: number, declared: number): number => (declared === 0 && bits <= 8 ? 2 ** bits : declared);

function readDensity(view: DataView): Density | undefined {
  const x = view.getInt32(24, true);
  const y = view.getInt32(28, true);
  return x > 0 && y > 0 ? { x: toDotsPerInch(x), y: toDotsPerInch(y) } : undefined;
}

/**
 * Converts pixels per metre, which are stored as whole numbers and are 1/39 dpi apart. Rounding to 0.1 dpi restores the
 * intended value (2835 is 72 dpi).
 */
const toDotsPerInch = (pixelsPerMetre: number): number => Math.round(pixelsPerMetre * METRES_PER_INCH * 10) / 10;

const PROFILE_EMBEDDED = 0x4d424544; // MBED

function findProfile(view: DataView): DibHeader['profile'] {
  if (view.getUint32(56, true) !== PROFILE_EMBEDDED) return undefined;
  const at = view.getUint32(112, true);
  const bytes = view.getUint32(116, true);
  return bytes > 0 && at + bytes <= view.byteLength ? { at, bytes } : undefined;
}
