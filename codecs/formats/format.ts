/**
 * What a format declares about itself: its names, how its files are recognised, what it can hold, and everything that
 * is read from a file without decoding its pixels. Safe on the main thread: no WebAssembly, bounded work. How pixels are
 * read and written is in another file of the format's folder (codecs.ts).
 */
import type { CodePoints } from '../code-points.ts';
import type { FileFacts } from '../facts/facts.ts';
import type { Metadata } from '../metadata/metadata.ts';
import type { Matcher } from '../signature.ts';
import type { FileSize } from '../size.ts';

/**
 * When a signature is tried, in this order; signatures of equal rank in the order of the registry.
 * - `common`: the formats that nearly all files have, by their first bytes;
 * - `enclosing`: files that may start with the header of another format;
 * - `specific`: files in the container of another format;
 * - `exact`: other files with a signature at their start;
 * - `loose`: a short signature, or one inside the file;
 * - `last`: a signature that files of other formats may contain too.
 */
export const SIGNATURE_RANKS = ['common', 'enclosing', 'specific', 'exact', 'loose', 'last'] as const;

export interface Signature {
  rank: (typeof SIGNATURE_RANKS)[number];
  matches: Matcher;
}

/** How websites use a format. Only formats that at least one browser shows have it. */
export interface WebUse {
  kind: 'image' | 'vector' | 'icon';
  /** `modern` formats have smaller files than `classic` ones, and are sent to the browsers that accept them. */
  age?: 'classic' | 'modern';
  /** All browsers show it. */
  everywhere?: true;
}

/** The estimated cost of decoding a file. */
export interface DecodingCost {
  size?: FileSize | undefined;
  /** Number of scans of a JPEG. */
  scans?: number;
  /** Whether its rows can be decoded on demand. Default: that of the format. */
  streams?: boolean;
  /** Memory that the decoder needs even if rows are decoded in order, in bytes. */
  decoderBytes?: number;
  /** Whether the file ends before its first pixel, or has more frames than are read. */
  isRefused?: boolean;
}

/** The blocks of metadata of a file. */
export interface MetadataContainer {
  /** Never throws: returns what is still readable of a damaged file. */
  read(bytes: Uint8Array): Metadata;
  /** Replaces all metadata. @throws Failure `corrupt_image` */
  write?(bytes: Uint8Array, metadata: Metadata): Uint8Array;
  /** It has no field of its own for the resolution. */
  densityInExif?: true;
}

/** How ImageMagick decodes a format. */
export interface MagickCoder {
  /** The name of ImageMagick's coder. */
  coder: string | ((bytes: Uint8Array) => string);
  /** Only some of the files, which the format's own reader or libvips leaves to it. */
  partly?: true;
  /**
   * How the images of a file become pages. Default: the file has one image.
   * - `first`: only the first image counts; the others are the layers that it was composed of;
   * - `each`: each image is a page;
   * - `animation`: each image is drawn over the previous ones, and the result is the page.
   */
  pages?: 'first' | 'each' | 'animation';
  /** Detects transparency where ImageMagick reports it only after decoding the pixels. */
  alpha?(bytes: Uint8Array): boolean;
  /**
   * Returns the number of pixels that the headers of all images declare. Needed for coders that visit all declared
   * pixels even if the file is short.
   * @throws Failure `corrupt_image` when the file has none of the pixels
   */
  claims?(bytes: Uint8Array): number;
  /** Bytes per pixel that the library of the coder needs for its own samples. Default: none. */
  working?: number;
  /** Coders that this one calls for parts of the file, and those that `coder` may choose. */
  calls?: readonly string[];
}

/** What an output format can hold, and how it is written. */
export interface OutputTraits {
  /** Supports mode lossless. */
  lossless: boolean;
  /** Quality changes the pixels. */
  lossy: boolean;
  /** Keeps transparency. */
  alpha: boolean;
  /** Pixels are transparent or opaque, nothing between. */
  binaryAlpha?: true;
  /** Which animations keep all of their frames: those of any format, those of its own, or none. */
  animation: 'any' | 'own' | 'none';
  /** Results of a source of the same format keep all of its pages. */
  pages?: true;
  /** A file of the format is more than images: without a request for pixels, the result is the document itself. */
  document?: true;
  /** Most bits per sample that lossless and lossy files hold. */
  depth: { lossless: 8 | 12 | 16; lossy: 8 | 12 | 16 };
  /** Records code points (ITU-T H.273), so samples may be in PQ, HLG or a wide gamut. */
  codePoints?: true;
  /** Stores grey images as grey, so that they may keep a profile of grey. Default: as RGB. */
  grey?: 'always' | 'lossless';
  /** Metadata blocks that we can write into the container. */
  holds: { icc: boolean; exif: boolean; xmp: boolean; iptc: boolean; density: boolean; gainMap?: true };
  /** Largest blocks of metadata, in bytes. Default: no limit. */
  maxBlockBytes?: { icc: number; exif: number; xmp: number; iptc: number };
  /** Its encoder in libvips. Default: our own. */
  saver?: string;
  /** Largest side in pixels. Default: more than the service produces. */
  maxSide?: number;
  /**
   * Memory that encoding takes outside of libvips' memory (which has its own maximum), in bytes: samples, other
   * encoders, the file. Measured with 16 megapixels of noise. Default: none.
   */
  encodingBytes?(pixels: number): number;
  /** Usual processor time of an encoder at the default quality, in milliseconds per megapixel. Default: 25. */
  encodeMs?: number;
  /** The same of lossless encoding. Default: three times `encodeMs`. */
  losslessEncodeMs?: number;
  /** It is lossy only by a palette: of quality 100 it keeps all colours. */
  palette?: true;
  /** Its files are usually lossless. */
  usuallyLossless?: true;
  /**
   * The lossless file of a mostly flat image may be the smallest. Not for AVIF: a screenshot of 1920 x 1080 takes 664
   * kB, as WebP 76 kB.
   */
  losslessMayWin?: true;
  /** Encoding takes many times as long as in other formats. */
  slow?: true;
  /** Images are drawn on a small square. */
  icon?: true;
  /** The format of the image inside its files. */
  wraps?: string;
  /**
   * Chroma qualities that a search for a file size tries in this order, if the format allows the choice: that of the
   * default quality (undefined: that of the file), then others.
   */
  chromaQualities?: readonly (number | undefined)[];
  /** Times of a frame that an animation can store, in milliseconds. */
  frameTimes?: { unit: number; longest: number };
  /**
   * Makes a file exactly `missing` bytes larger without touching its image; more if less than its smallest addition is
   * missing.
   * @throws Failure `corrupt_image`
   */
  pad?(bytes: Uint8Array, missing: number): Uint8Array;
}

export interface Format {
  name: string;
  /** Without the dot. The first is used for the names of files that we write. */
  extensions: readonly [string, ...string[]];
  /** Extensions with the same meaning as the first. Others, such as apng, have another meaning. */
  equivalentExtensions?: readonly string[];
  /** The first is used for output. */
  contentTypes: readonly [string, ...string[]];
  /** Files may contain transparency. */
  alpha?: true;
  /** All frames of an animation are read. */
  animation?: true;
  /** Files may hold several pages, frames or planes. `page` chooses one. */
  pages?: true;
  /** Has no signature; recognised by the extension of its name and by its length. */
  named?: true;
  /** What a user should know about reading the format. */
  note?: string;

  /** How its files are usually compressed. Undefined: hardly, whatever the image. */
  coding?: 'lossy' | 'lossless';
  /** Its images are drawings or screenshots, not photographs. */
  graphics?: 'always' | 'often';
  /** A JPEG stream, which codecs/jpeg decodes and changes without libvips. */
  jpegStream?: true;
  web?: WebUse;
  /** What would be lost by replacing a file with one that we write. */
  replacementLoss?: string;
  /** How browsers turn an image: as its EXIF says, or as its container does (`isTurned`). */
  turning?: { byExif: true } | { isTurned(bytes: Uint8Array): boolean };

  signature?: Signature;
  /** Whether the bytes can be a file of this format if its name has one of the extensions. */
  matchesNamed?(bytes: Uint8Array, extension: string): boolean;

  /** Its decoder in libvips. Default: our own. */
  loader?: string;
  /** Default: ImageMagick does not read it. */
  magick?: MagickCoder;
  /** Files of other packages that our own decoder needs. */
  needs?: readonly string[];
  /** Rows are decoded on demand, if the file stores them in order. */
  streams?: true;

  /**
   * Reads the size from the header, for the check before a task is queued.
   * @throws Failure `corrupt_image`
   */
  readSize?(bytes: Uint8Array): FileSize | undefined;
  /** Never throws. @param page from 1 */
  estimateCost?(bytes: Uint8Array, page: number): DecodingCost;
  metadata?: MetadataContainer;
  /** Never throws. @param page from 1 */
  readFacts?(bytes: Uint8Array, page: number): FileFacts;

  /**
   * Reads the code points (ITU-T H.273) that name the space of the samples instead of a profile. Never throws. Undefined
   * if the file has none, or if they are sRGB.
   */
  readCodePoints?(bytes: Uint8Array): CodePoints | undefined;

  /** Undefined for formats that are only read. */
  output?: OutputTraits;
}

export const EIGHT_BIT_DEPTH = { lossless: 8, lossy: 8 } as const satisfies OutputTraits['depth'];

export const ALL_METADATA = { icc: true, exif: true, xmp: true, iptc: true, density: true };
export const NO_METADATA = { icc: false, exif: false, xmp: false, iptc: false, density: false };

/** The file of the package of ImageMagick that contains the code. */
export const MAGICK_WASM = '@imagemagick/magick-wasm/magick.wasm';
