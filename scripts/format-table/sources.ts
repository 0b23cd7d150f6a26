/** The images that the made files contain. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp, { type Sharp } from 'sharp';
import { corpus } from '../../test/support/corpus.ts';
import { type Raster, rasterOf } from './raster.ts';

const PHOTO = 'faces/scikit-image--astronaut.png';

export interface Source {
  raster: Raster;
  /** 8 bits per sample. */
  samples: Uint8Array;
  width: number;
  height: number;
  channels: number;
  /** Files with the same image, for programs. */
  png: string;
  /** Portable bitmap, greymap or pixmap, depending on the image; transparent images have none. */
  anymap: string;
}

export interface Sources {
  /** A colour photograph. */
  photo: Source;
  /** A photograph with an alpha channel that rises from left to right. */
  clear: Source;
  grey: Source;
  /** Black and white, dithered. */
  bits: Source;
  /** 16 colours. */
  few: Source;
  /** The size of an Atari ST screen, in 16 colours. */
  screen: Source;
  /** The same size, in full colour. */
  wide: Source;
  /** Black and white, the size of a high-resolution Atari ST screen. */
  large: Source;
}

/** @throws Error if the corpus is not there */
export async function makeSources(folder: string): Promise<Sources> {
  const photo = corpus(PHOTO);
  if (!photo) throw new Error('the corpus is not there');
  const sized = (width: number, height: number) => sharp(photo).resize(width, height, { kernel: 'cubic' });
  const raw = (image: Sharp) => image.raw().toBuffer();
  const put = (name: string, samples: Uint8Array, width: number, height: number, channels: number) =>
    writeSource(folder, name, { samples, width, height, channels });

  const [width, height] = [128, 96];
  const colour = await raw(sized(width, height).removeAlpha());
  const grey = await raw(sized(width, height).greyscale().removeAlpha());
  const clear = new Uint8Array(width * height * 4);
  for (let pixel = 0; pixel < width * height; pixel++) {
    clear.set(colour.subarray(pixel * 3, pixel * 3 + 3), pixel * 4);
    clear[pixel * 4 + 3] = (pixel % width) * 2;
  }
  const large = await raw(sized(640, 400).greyscale().removeAlpha());
  return {
    photo: await put('photo', colour, width, height, 3),
    clear: await put('clear', clear, width, height, 4),
    grey: await put('grey', grey, width, height, 1),
    bits: await put('bits', dither(grey, width), width, height, 1),
    few: await put('few', reduce(colour, 4), width, height, 3),
    screen: await put('screen', reduce(await raw(sized(320, 200).removeAlpha()), 4), 320, 200, 3),
    wide: await put('wide', await raw(sized(320, 200).removeAlpha()), 320, 200, 3),
    large: await put('large', dither(large, 640), 640, 400, 1),
  };
}

type Samples = Pick<Source, 'samples' | 'width' | 'height' | 'channels'>;

async function writeSource(folder: string, name: string, source: Samples): Promise<Source> {
  const { samples, width, height, channels } = source;
  const png = join(folder, `${name}.png`);
  await sharp(samples, { raw: { width, height, channels: channels as 1 | 3 | 4 } })
    .png()
    .toFile(png);
  const anymap = join(folder, `${name}.${channels === 1 ? 'pgm' : 'ppm'}`);
  if (channels !== 4) {
    const header = Buffer.from(`P${channels === 1 ? 5 : 6}\n${width} ${height}\n255\n`);
    await writeFile(anymap, Buffer.concat([header, samples]));
  }
  return { ...source, raster: rasterOf(samples, source), png, anymap };
}

/** Thresholds of an ordered dither (Bayer, "An optimum method for two-level rendition", 1973), of 16. */
const BAYER = [0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5];

function dither(grey: Uint8Array, width: number): Uint8Array {
  return grey.map((value, at) => {
    const cell = BAYER[(Math.floor(at / width) % 4) * 4 + ((at % width) % 4)]!;
    return value > cell * 16 + 7 ? 255 : 0;
  });
}

/**
 * Reduces to 16 colours: two levels of red and blue, four of green. Every palette of the old computers has these
 * levels.
 */
function reduce(colour: Uint8Array, greens: number): Uint8Array {
  return colour.map((value, at) => {
    const levels = at % 3 === 1 ? greens : 2;
    return Math.round((Math.min(levels - 1, Math.floor((value / 256) * levels)) * 255) / (levels - 1));
  });
}
