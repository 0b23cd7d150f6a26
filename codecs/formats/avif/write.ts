import encodeSamples, { init } from '@jsquash/avif/encode.js';
import { freeBuffer } from '../../../base/free-buffer.ts';
import { toBytes, toRgb, withAlpha } from '../../colour.ts';
import { needsFullChroma } from '../../jpeg/chroma.ts';
import { withJpegCodec } from '../../jpeg/codec.ts';
import { instantiateTracked } from '../../memory.ts';
import type { Modules } from '../../modules.ts';
import { hasFlatRows } from '../../pixel-facts.ts';
import type { Image } from '../../vips.ts';
import { type AvifDepth, depthFor, inUpperBits, reduced } from './deep.ts';

export interface AvifSettings {
  /** 1 to 100. */
  quality: number;
  /** The quality that decides the chroma resolution. Default: `quality`. */
  chromaQuality?: number;
  /** Always use full chroma resolution. */
  fullChroma: boolean;
  /** The chroma resolution, if it is not to be chosen from the pixels. */
  chroma?: 'full' | 'half' | undefined;
  /**
   * Pixel count that decides the encoder's speed, for an image that is part of a larger one. Default: its own count.
   */
  wholePixels?: number | undefined;
  /** The image is one of many encodings in a search for a file size, so it is encoded quickly. Default: false. */
  repeated?: boolean;
}

const HALF_CHROMA = 1;
const FULL_CHROMA = 3;
/**
 * Minimum quality from which edges alone decide the chroma resolution, because full resolution costs AVIF few bytes. At
 * equal quality, screenshots then take 10 to 40% fewer bytes and drawings up to 50%, while photographs and gradients
 * take 5 to 50% more.
 */
const MIN_EDGES_QUALITY = 45;
/**
 * Chroma qualities passed to `needsFullChroma`, for images with flat areas and for others. Chosen with sixty images.
 */
const FLAT_CHROMA_QUALITY = 88;
const OTHER_CHROMA_QUALITY = 80;

/** The encoder's time grows with the pixels. Above this count a faster speed keeps a request within seconds. */
const LARGE_PIXELS = 4_000_000;
/**
 * Images of up to this many pixels are encoded at speed 6, which takes three times as long as speed 8. At equal quality
 * that saves 12 to 15% of the bytes for photographs (0.9 s), and 20 to 45% for drawings, screenshots, print and
 * gradients (up to 2 s). `npm run bench:avif-bytes` compares the bytes with those of avifenc.
 */
const MAX_SLOW_PIXELS = 500_000;
const MAX_SLOW_FLAT_PIXELS = 1_000_000;
/**
 * The limit in a search for a file size, which encodes up to 26 times. A photograph of 600 x 400 would take 19 s of the
 * 30 s that a task may take.
 */
const MAX_SLOW_REPEATED_PIXELS = 100_000;
const RGBA_BANDS = 4;

// The declared type lacks the module, although the package's documentation passes it first.
const start = init as (module: WebAssembly.Module, options: object) => Promise<unknown>;
let encoder: Promise<unknown> | undefined;

/** Encodes lossy. The measurements behind the choice of encoder and speed are in bench/encoders.md. */
export async function encodeAvif(
  image: Image,
  { quality, chromaQuality = quality, fullChroma, chroma, wholePixels, repeated = false }: AvifSettings,
  modules: Modules,
): Promise<Uint8Array> {
  encoder ??= start(modules.avifEncoder, { instantiateWasm: instantiateTracked(modules.avifEncoder) });
  await encoder;
  const rgb = toRgb(toBytes(image));
  const rgba = withAlpha(rgb);
  const { width, height } = rgba;
  const data = new Uint8ClampedArray(rgba.writeToMemory().buffer as ArrayBuffer);
  const bitDepth = depthFor(image, false);
  const isFlat = hasFlatPixels({ width, height }, data);
  const edgesQuality = isFlat ? FLAT_CHROMA_QUALITY : OTHER_CHROMA_QUALITY;
  const isFull = chroma
    ? chroma === 'full'
    : fullChroma || needsFullColour(modules, rgb, chromaQuality < MIN_EDGES_QUALITY ? chromaQuality : edgesQuality);
  const settings = {
    quality,
    qualityAlpha: -1,
    speed: speedFor(wholePixels ?? width * height, { isFlat, repeated }),
    subsample: isFull ? FULL_CHROMA : HALF_CHROMA,
  };
  const encoded =
    bitDepth === 8
      ? await encodeSamples({ data, width, height, colorSpace: 'srgb' }, settings)
      : await encodeSamples({ data: samplesOfDepth(image, bitDepth), width, height }, { ...settings, bitDepth });
  return new Uint8Array(encoded);
}

function samplesOfDepth(image: Image, depth: AvifDepth): Uint16Array<ArrayBuffer> {
  return reduced(withAlpha(toRgb(image)), depth).writeToMemory() as Uint16Array<ArrayBuffer>;
}

function speedFor(pixels: number, { isFlat, repeated }: { isFlat: boolean; repeated: boolean }): number {
  if (pixels > LARGE_PIXELS) return 9;
  const maxOnce = isFlat ? MAX_SLOW_FLAT_PIXELS : MAX_SLOW_PIXELS;
  return pixels <= (repeated ? MAX_SLOW_REPEATED_PIXELS : maxOnce) ? 6 : 8;
}

function hasFlatPixels(size: { width: number; height: number }, data: Uint8ClampedArray): boolean {
  const rowBytes = RGBA_BANDS * size.width;
  return hasFlatRows({ ...size, bands: RGBA_BANDS }, (y) => data.subarray(y * rowBytes, (y + 1) * rowBytes));
}

function needsFullColour(modules: Modules, rgb: Image, chromaQuality: number): boolean {
  const { width, height } = rgb;
  const data = (rgb.bands > 3 ? rgb.extractBand(0, { n: 3 }) : rgb).writeToMemory() as Uint8Array<ArrayBuffer>;
  const isFull = withJpegCodec(modules, (codec) =>
    needsFullChroma(codec, { data, width, height, bands: 3 }, chromaQuality),
  );
  freeBuffer(data.buffer);
  return isFull ?? false;
}

/** Encodes lossless: every sample of 8, 10 or 12 bits keeps its value; those of 16 bits are rounded to 12. */
export function encodeLosslessAvif(image: Image): Uint8Array {
  const bitdepth = depthFor(image, true);
  const rgb = toRgb(image);
  const samples = bitdepth === 8 ? rgb : inUpperBits(reduced(rgb, bitdepth), bitdepth);
  return samples.heifsaveBuffer({ compression: 'av1', lossless: true, bitdepth, effort: 1, keep: 'none' });
}
