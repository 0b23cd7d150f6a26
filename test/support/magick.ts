/** ImageMagick as an independent decoder. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import {
  initializeImageMagick,
  MagickFormat,
  MagickImageCollection,
  MagickReadSettings,
} from '@imagemagick/magick-wasm';

const MAPPING = { 1: 'R', 3: 'RGB', 4: 'RGBA' } as const;

export interface MagickFrame {
  width: number;
  height: number;
  hasAlpha: boolean;
  /** Dots per inch. */
  density: { x: number; y: number };
  profile(name: 'icc' | 'exif' | 'xmp' | 'iptc'): Uint8Array | undefined;
  /** Interleaved 8-bit samples. */
  samples(channels: 1 | 3 | 4): Uint8Array;
}

let started: Promise<void> | undefined;

/** Reads every frame (layer, icon size) of a file and passes the frames to `look`. Frees them afterwards. */
export async function withMagick<T>(
  bytes: Uint8Array,
  format: keyof typeof MagickFormat,
  look: (frames: MagickFrame[]) => T,
): Promise<T> {
  started ??= readFile(createRequire(import.meta.url).resolve('@imagemagick/magick-wasm/magick.wasm')).then((wasm) =>
    initializeImageMagick(wasm),
  );
  await started;
  const images = MagickImageCollection.create();
  try {
    images.read(bytes, new MagickReadSettings({ format: MagickFormat[format] }));
    return look(
      images.map((image) => ({
        width: image.width,
        height: image.height,
        hasAlpha: image.hasAlpha,
        density: toDotsPerInch(image.density),
        // ImageMagick puts `Exif\0\0` before the TIFF stream.
        profile: (name) => image.getProfile(name)?.data.subarray(name === 'exif' ? 6 : 0),
        samples: (channels) =>
          image.getPixels((pixels) => pixels.toByteArray(0, 0, image.width, image.height, MAPPING[channels])) ??
          new Uint8Array(),
      })),
    );
  } finally {
    images.dispose();
  }
}

const PER_CENTIMETRE = 2;

function toDotsPerInch({ x, y, units }: { x: number; y: number; units: number }): { x: number; y: number } {
  const factor = units === PER_CENTIMETRE ? 2.54 : 1;
  return { x: x * factor, y: y * factor };
}
