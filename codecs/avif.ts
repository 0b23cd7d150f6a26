import encodeSamples, { init } from '@jsquash/avif/encode.js';
import { toRgb, withAlpha } from './colour.ts';
import { instantiateTracked } from './memory.ts';
import type { Modules } from './modules.ts';
import type { Image } from './vips.ts';

export interface AvifSettings {
  /** 1 to 100. */
  quality: number;
  fullChroma: boolean;
}

const HALF_CHROMA = 1;
const FULL_CHROMA = 3;

// The AV1 encoder's time grows with the pixels; above this a faster speed keeps a request within seconds.
const LARGE_PIXELS = 4_000_000;

// The declared type leaves out the module, which the package's own documentation passes first.
const start = init as (module: WebAssembly.Module, options: object) => Promise<unknown>;
let encoder: Promise<unknown> | undefined;

/** Encodes lossy. Figures behind the choice of encoder and speed: bench/encoders.md. */
export async function encodeAvif(
  image: Image,
  { quality, fullChroma }: AvifSettings,
  modules: Pick<Modules, 'avifEncoder'>,
): Promise<Uint8Array> {
  encoder ??= start(modules.avifEncoder, { instantiateWasm: instantiateTracked(modules.avifEncoder) });
  await encoder;
  const rgba = withAlpha(toRgb(image));
  const { width, height } = rgba;
  const data = new Uint8ClampedArray(rgba.writeToMemory().buffer as ArrayBuffer);
  const encoded = await encodeSamples(
    { data, width, height, colorSpace: 'srgb' },
    {
      quality,
      qualityAlpha: -1,
      speed: width * height > LARGE_PIXELS ? 9 : 8,
      subsample: fullChroma ? FULL_CHROMA : HALF_CHROMA,
    },
  );
  return new Uint8Array(encoded);
}

/** Encodes every 8-bit sample as it is. */
export function encodeLosslessAvif(image: Image): Uint8Array {
  return toRgb(image).heifsaveBuffer({ compression: 'av1', lossless: true, effort: 1, keep: 'none' });
}
