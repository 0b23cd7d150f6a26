/** Reads what libvips does not, through ImageMagick compiled to WebAssembly. 15 MB, so it is loaded on first use. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { IMagickImage, IMagickImageCollection } from '@imagemagick/magick-wasm';
import { corruptImage, pageOutOfRange } from './errors.ts';
import { FORMATS, type InputFormat } from './formats.ts';
import type { Density, Samples } from './samples.ts';

type Magick = typeof import('@imagemagick/magick-wasm');

/**
 * The coders that may be used, by the format that our own sniffing has found. ImageMagick's guess is never asked: it
 * has coders that read addresses and other files (HTTP, FILE, MVG, TEXT and the like).
 */
const CODERS = { bmp: 'BMP', ico: 'ICO' } as const satisfies Partial<Record<InputFormat, string>>;
export type MagickInput = keyof typeof CODERS;

/** 100 megapixels with four samples of a byte, and room for what a coder needs beside them. */
const MEMORY_BYTES = 512n * 1024n * 1024n;
const LARGEST_SIDE = 65_535n;

export interface MagickPicture extends Samples<3 | 4> {
  pages: number;
  density: Density | undefined;
}

let started: Promise<Magick> | undefined;

/**
 * Starts ImageMagick in this thread; later calls answer the same instance.
 * @param module compiled once and shared between the threads; without it the package's own file is compiled here
 */
export function startMagick(module?: WebAssembly.Module): Promise<Magick> {
  started ??= start(module);
  return started;
}

async function start(module: WebAssembly.Module | undefined): Promise<Magick> {
  const magick = await import('@imagemagick/magick-wasm');
  await magick.initializeImageMagick(module ?? (await compile()));
  // Without a disk to swap to, a picture that does not fit the memory is an error at once.
  magick.ResourceLimits.disk = 0n;
  magick.ResourceLimits.memory = MEMORY_BYTES;
  magick.ResourceLimits.width = LARGEST_SIDE;
  magick.ResourceLimits.height = LARGEST_SIDE;
  return magick;
}

async function compile(): Promise<WebAssembly.Module> {
  const file = createRequire(import.meta.url).resolve('@imagemagick/magick-wasm/magick.wasm');
  return WebAssembly.compile(await readFile(file));
}

/**
 * The size of one page from the headers, without decoding any pixel.
 * @param page from 1; the pages of an icon are its images, the best one first
 * @throws Failure `corrupt_image`, `page_out_of_range`
 */
export async function probeWithMagick(
  bytes: Uint8Array,
  format: MagickInput,
  page = 1,
): Promise<{ width: number; height: number; pages: number }> {
  const magick = await startMagick();
  const { frame, pages } = findPage(magick, bytes, format, page);
  return { width: frame.width, height: frame.height, pages };
}

/**
 * Decodes one page to 8-bit RGB, or RGBA when it has transparency. The build of ImageMagick has no deeper samples.
 * @throws Failure `corrupt_image`, `page_out_of_range`
 */
export async function decodeWithMagick(bytes: Uint8Array, format: MagickInput, page: number): Promise<MagickPicture> {
  const magick = await startMagick();
  const { frame, pages } = findPage(magick, bytes, format, page);
  return withFrames(
    magick,
    format,
    (frames, settings) => {
      settings.frameIndex = frame.index;
      settings.frameCount = 1;
      frames.read(bytes, settings);
    },
    ([image]) => ({ ...samplesOf(image!), pages, density: densityOf(magick, image!) }),
  );
}

interface Frame {
  /** In the file. */
  index: number;
  width: number;
  height: number;
}

function findPage(magick: Magick, bytes: Uint8Array, format: MagickInput, page: number) {
  const frames = withFrames(
    magick,
    format,
    (images, settings) => images.ping(bytes, settings),
    (images) => images.map(({ width, height, depth }, index) => ({ index, width, height, depth })),
  );
  if (format === 'ico') frames.sort((a, b) => b.width * b.height - a.width * a.height || b.depth - a.depth);
  const frame: Frame | undefined = frames[page - 1];
  if (!frame) throw pageOutOfRange(page, frames.length);
  return { frame, pages: frames.length };
}

/** Every picture that ImageMagick makes is freed before this returns. */
function withFrames<T>(
  magick: Magick,
  format: MagickInput,
  load: (frames: IMagickImageCollection, settings: InstanceType<Magick['MagickReadSettings']>) => void,
  use: (frames: IMagickImageCollection) => T,
): T {
  const frames = magick.MagickImageCollection.create();
  try {
    load(frames, new magick.MagickReadSettings({ format: CODERS[format] }));
    return use(frames);
  } catch (error) {
    throw corruptImage(FORMATS[format].name, error);
  } finally {
    frames.dispose();
  }
}

function samplesOf(image: IMagickImage): Samples<3 | 4> {
  const { width, height } = image;
  const channels = image.hasAlpha ? 4 : 3;
  const mapping = channels === 4 ? 'RGBA' : 'RGB';
  const data = image.getPixels((pixels) => pixels.toByteArray(0, 0, width, height, mapping));
  if (!data) throw new Error('ImageMagick has no samples');
  return { data, width, height, channels };
}

const CENTIMETRES_PER_INCH = 2.54;

function densityOf({ DensityUnit }: Magick, { density }: IMagickImage): Density | undefined {
  const { x, y, units } = density;
  if (units === DensityUnit.Undefined || x <= 0 || y <= 0) return undefined;
  const scale = units === DensityUnit.PixelsPerCentimeter ? CENTIMETRES_PER_INCH : 1;
  return { x: x * scale, y: y * scale };
}
