/** Encodes pixels as lossy WebP files. */
import type { Size } from '../../base/geometry.ts';
import type { Address } from '../codec-module.ts';
import { concat } from '../metadata/bytes.ts';
import { chunk, chunksOf, riff, uint24 } from '../metadata/webp.ts';
import { RowStrips } from '../row-strips.ts';
import type { WebpCodec } from './codec.ts';

export interface WebpSize extends Size {
  /** RGB or RGBA. */
  bands: 3 | 4;
}

export interface WebpAlpha {
  /** A lossless WebP file with the samples of alpha, filtered, as green. */
  image: Uint8Array;
  filter: keyof typeof ALPHA_FILTERS;
}

/** The number of each filtering method in the header of the alpha chunk. */
const ALPHA_FILTERS = { none: 0, horizontal: 1 } as const;

/** Lines that are stored at a time: an even number, so that lines of chroma are complete. */
const STRIP_LINES = 16;
const MAX_INDEX = 127;
/**
 * Factor for libwebp's quantizer index that compensates for quantization following activity. Measured with photographs,
 * from quality 10 to 96.
 */
const INDEX_SHARE = 0.93;
/** Strength of the loop filter, relative to a quarter of the quantization step. */
const FILTER = 1.2;
/** How much quantization follows activity: steps double where there is 8 times as much activity. */
const ACTIVITY_STRENGTH = 0.33;

/**
 * Returns the quantizer index of a quality, on libwebp's scale: linear up to 75, where half of the range is reached.
 * The cube root is taken because file size behaves like the third power.
 * @param quality 1 to 100
 */
function indexOf(quality: number): number {
  const share = quality / 100;
  const linear = share < 0.75 ? (share * 2) / 3 : 2 * share - 1;
  return Math.round(MAX_INDEX * (1 - Math.cbrt(linear)) * INDEX_SHARE);
}

/** Encodes an image, as its pixels arrive. */
export class WebpEncoder {
  readonly #codec: WebpCodec;
  readonly #size: WebpSize;
  readonly #quality: number;
  /** Bytes per line. */
  readonly #pitch: number;
  readonly #strip: Address;
  readonly #strips: RowStrips;

  /**
   * Starts encoding. Uses the codec until the file is finished.
   * @param quality 1 to 100, on the scale of libwebp
   * @returns undefined if there is not enough memory
   */
  static start(codec: WebpCodec, size: WebpSize, quality: number): WebpEncoder | undefined {
    if (!codec.run.start(size.width, size.height, size.bands === 4 ? 1 : 0)) return undefined;
    const strip = codec.reserve(STRIP_LINES * size.width * size.bands);
    return strip === undefined ? undefined : new WebpEncoder(codec, size, quality, strip);
  }

  private constructor(codec: WebpCodec, size: WebpSize, quality: number, strip: Address) {
    this.#codec = codec;
    this.#size = size;
    this.#quality = quality;
    this.#pitch = size.width * size.bands;
    this.#strip = strip;
    const layout = { pitch: this.#pitch, height: size.height, rows: STRIP_LINES };
    this.#strips = new RowStrips((at, count) => codec.bytes(at, count), strip, layout);
  }

  /** @param data any number of bytes, following the previous ones */
  push(data: Uint8Array): void {
    this.#strips.push(data, (rows) => this.#codec.run.storeLines(this.#strip, this.#pitch, rows));
  }

  /** Returns the alpha of the pixels, one byte each. Call it when all pixels have been pushed. */
  alpha(): Uint8Array {
    const { width, height } = this.#size;
    const { run } = this.#codec;
    const [at, pitch] = [run.alphaPlane() >>> 0, run.lumaPitch()];
    const alpha = new Uint8Array(width * height);
    for (let line = 0; line < height; line++) alpha.set(this.#codec.bytes(at + line * pitch, width), line * width);
    return alpha;
  }

  /**
   * Returns the file. Call it when all pixels have been pushed.
   * @param alpha default: the image is opaque
   * @returns undefined if there is not enough memory
   */
  finish(alpha?: WebpAlpha): Uint8Array | undefined {
    const { run } = this.#codec;
    // WebAssembly returns addresses as signed numbers.
    const frame = run.encodeFrame(indexOf(this.#quality), FILTER, ACTIVITY_STRENGTH) >>> 0;
    if (frame === 0) return undefined;
    const image = chunk('VP8 ', this.#codec.bytes(frame, (run.endOfFrame() >>> 0) - frame));
    return riff(alpha ? [extendedHeader(this.#size), chunk('ALPH', alphaOf(alpha)), image] : [image]);
  }
}

const ALPHA_FLAG = 0x10;

/** Makes the extended header (RFC 9649, 2.7). */
const extendedHeader = ({ width, height }: WebpSize): Uint8Array =>
  chunk('VP8X', concat([Uint8Array.of(ALPHA_FLAG, 0, 0, 0), uint24(width - 1), uint24(height - 1)]));

/** Signature, size, and flags of the image. */
const LOSSLESS_HEADER = 5;
/** Compressed losslessly, not preprocessed. */
const COMPRESSED = 1;
/** Position of the filtering method. */
const FILTER_BIT = 2;

/** Returns the content of the ALPH chunk: the lossless image without its header (RFC 9649, 2.7.1.2). */
function alphaOf({ image, filter }: WebpAlpha): Uint8Array {
  const header = COMPRESSED | (ALPHA_FILTERS[filter] << FILTER_BIT);
  for (const { name, data } of chunksOf(image))
    if (name === 'VP8L') return concat([Uint8Array.of(header), data.subarray(LOSSLESS_HEADER)]);
  throw new RangeError('Expected a chunk VP8L but received none.');
}
