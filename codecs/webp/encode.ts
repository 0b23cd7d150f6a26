/** Pixels to lossy WebP files. */
import type { Address } from '../codec-module.ts';
import { chunk, riff } from '../metadata/webp.ts';
import type { WebpCodec } from './codec.ts';

export interface WebpSize {
  width: number;
  height: number;
}

const BANDS = 3;
/** Lines that are stored at a time: even, so that those of colour are complete. */
const STRIP_LINES = 16;
const MAX_INDEX = 127;
/** At the quantizers of libwebp files are as much better as they follow activity: measured over photographs, from quality 10 to 96. */
const INDEX_SHARE = 0.93;
/** Strength of the loop filter, of a quarter of the quantization step. */
const FILTER = 1.2;
/** How much quantization follows activity: steps double where there is 8 times as much to see. */
const ACTIVITY_STRENGTH = 0.33;

/**
 * The quantizer of a quality, as libwebp counts it: linear up to 75, where half of all is reached, and the size of a file as the third power.
 * @param quality 1 to 100
 */
function indexOf(quality: number): number {
  const share = quality / 100;
  const linear = share < 0.75 ? (share * 2) / 3 : 2 * share - 1;
  return Math.round(MAX_INDEX * (1 - Math.cbrt(linear)) * INDEX_SHARE);
}

/** Encodes an image of RGB, as its pixels come. */
export class WebpEncoder {
  readonly #codec: WebpCodec;
  readonly #quality: number;
  /** Of a line, and of the image, in bytes. */
  readonly #pitch: number;
  readonly #imageBytes: number;
  readonly #strip: Address;
  readonly #stripBytes: number;
  #received = 0;

  /**
   * The codec is busy until the end.
   * @param quality 1 to 100, as libwebp counts it
   * @returns undefined where there is no memory for it
   */
  static start(codec: WebpCodec, size: WebpSize, quality: number): WebpEncoder | undefined {
    if (!codec.run.start(size.width, size.height)) return undefined;
    const strip = codec.reserve(STRIP_LINES * size.width * BANDS);
    return strip === undefined ? undefined : new WebpEncoder(codec, size, quality, strip);
  }

  private constructor(codec: WebpCodec, { width, height }: WebpSize, quality: number, strip: Address) {
    this.#codec = codec;
    this.#quality = quality;
    this.#pitch = width * BANDS;
    this.#imageBytes = height * this.#pitch;
    this.#strip = strip;
    this.#stripBytes = STRIP_LINES * this.#pitch;
  }

  /** @param data any number of bytes that follow those before */
  push(data: Uint8Array): void {
    for (let from = 0; from < data.length; ) {
      const filled = this.#received % this.#stripBytes;
      const part = data.subarray(from, from + this.#stripBytes - filled);
      this.#codec.bytes(this.#strip + filled, part.length).set(part);
      this.#received += part.length;
      from += part.length;
      const inStrip = filled + part.length;
      if (inStrip === this.#stripBytes || this.#received === this.#imageBytes)
        this.#codec.run.storeLines(this.#strip, this.#pitch, inStrip / this.#pitch);
    }
  }

  /**
   * To be called when all pixels have come.
   * @returns the file; undefined where there is no memory for it
   */
  finish(): Uint8Array | undefined {
    const { run } = this.#codec;
    const frame = run.encodeFrame(indexOf(this.#quality), FILTER, ACTIVITY_STRENGTH) >>> 0;
    // Addresses come as signed numbers.
    if (frame === 0) return undefined;
    return riff([chunk('VP8 ', this.#codec.bytes(frame, (run.endOfFrame() >>> 0) - frame))]);
  }
}
