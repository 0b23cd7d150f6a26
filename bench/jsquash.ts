/** Runs the @jsquash packages in Node: loads the WebAssembly of each from disk, once per thread. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import * as avifDecoder from '@jsquash/avif/decode.js';
import * as avifEncoder from '@jsquash/avif/encode.js';
import * as jpegDecoder from '@jsquash/jpeg/decode.js';
import * as jpegEncoder from '@jsquash/jpeg/encode.js';
import * as jxlDecoder from '@jsquash/jxl/decode.js';
import * as jxlEncoder from '@jsquash/jxl/encode.js';
import * as pngDecoder from '@jsquash/png/decode.js';
import * as pngEncoder from '@jsquash/png/encode.js';
import resizeSamples, { initResize } from '@jsquash/resize';
import * as webpDecoder from '@jsquash/webp/decode.js';
import * as webpEncoder from '@jsquash/webp/encode.js';

const require = createRequire(import.meta.url);

/** RGBA, 8 bits. */
export interface Pixels {
  data: Uint8ClampedArray<ArrayBuffer>;
  width: number;
  height: number;
}

export type EncodeOptions = Record<string, unknown>;

// The packages create their results with the browser's ImageData class.
class NodeImageData implements Pixels {
  readonly colorSpace = 'srgb';
  readonly data: Uint8ClampedArray<ArrayBuffer>;
  readonly width: number;
  readonly height: number;

  constructor(data: Uint8ClampedArray<ArrayBuffer>, width: number, height: number) {
    this.data = data;
    this.width = width;
    this.height = height;
  }
}
Object.assign(globalThis, { ImageData: NodeImageData });

interface Part {
  wasm: string;
  // The declared types omit the module, which the packages' documentation passes as the first argument.
  package: { init: unknown; default: unknown };
}

const DECODERS = {
  jpeg: { package: jpegDecoder, wasm: '@jsquash/jpeg/codec/dec/mozjpeg_dec.wasm' },
  png: { package: pngDecoder, wasm: '@jsquash/png/codec/pkg/squoosh_png_bg.wasm' },
  webp: { package: webpDecoder, wasm: '@jsquash/webp/codec/dec/webp_dec.wasm' },
  avif: { package: avifDecoder, wasm: '@jsquash/avif/codec/dec/avif_dec.wasm' },
  jxl: { package: jxlDecoder, wasm: '@jsquash/jxl/codec/dec/jxl_dec.wasm' },
} as const satisfies Record<string, Part>;

const ENCODERS = {
  jpeg: { package: jpegEncoder, wasm: '@jsquash/jpeg/codec/enc/mozjpeg_enc.wasm' },
  png: { package: pngEncoder, wasm: '@jsquash/png/codec/pkg/squoosh_png_bg.wasm' },
  webp: { package: webpEncoder, wasm: '@jsquash/webp/codec/enc/webp_enc_simd.wasm' },
  avif: { package: avifEncoder, wasm: '@jsquash/avif/codec/enc/avif_enc.wasm' },
  jxl: { package: jxlEncoder, wasm: '@jsquash/jxl/codec/enc/jxl_enc.wasm' },
} as const satisfies Record<string, Part>;

export type JsquashFormat = keyof typeof ENCODERS;

const compile = async (wasm: string) => WebAssembly.compile(await readFile(require.resolve(wasm)));

const started = new Map<Part, Promise<unknown>>();

function start(part: Part): Promise<unknown> {
  const init = part.package.init as (module: WebAssembly.Module) => unknown;
  const starting = started.get(part) ?? compile(part.wasm).then(init);
  started.set(part, starting);
  return starting;
}

let resizer: Promise<unknown> | undefined;

export async function decode(format: JsquashFormat, file: Uint8Array): Promise<Pixels> {
  const part = DECODERS[format];
  await start(part);
  const decoder = part.package.default as (file: ArrayBuffer) => Promise<Pixels | null>;
  const pixels = await decoder(new Uint8Array(file).buffer);
  if (!pixels) throw new Error(`Expected a ${format} file but @jsquash/${format} could not decode it.`);
  return pixels;
}

export async function encode(format: JsquashFormat, pixels: Pixels, options: EncodeOptions = {}): Promise<Uint8Array> {
  const part = ENCODERS[format];
  await start(part);
  const encoder = part.package.default as (pixels: Pixels, options: EncodeOptions) => Promise<ArrayBuffer>;
  return new Uint8Array(await encoder(pixels, options));
}

/** Resizes to this width with the package's defaults: Lanczos 3 in linear light. */
export async function resize({ data, width, height }: Pixels, newWidth: number): Promise<Pixels> {
  resizer ??= compile('@jsquash/resize/lib/resize/pkg/squoosh_resize_bg.wasm').then(initResize);
  await resizer;
  const newHeight = Math.round((height * newWidth) / width);
  return (await resizeSamples(new NodeImageData(data, width, height), {
    width: newWidth,
    height: newHeight,
  })) as Pixels;
}
