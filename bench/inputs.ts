/** The input files of the workloads, made on first use and kept in bench/tmp. */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { animation, cutout, largePhotograph, PHOTOGRAPH_KIND, page, photograph, screenshot } from './source-images.ts';

export const TMP = join(import.meta.dirname, 'tmp');
const FOLDER = join(TMP, `inputs-${PHOTOGRAPH_KIND}`);

interface Recipe {
  file: string;
  make(): Promise<Buffer>;
}

/** Like a camera: light compression, half colour resolution. */
const CAMERA = { quality: 92, chromaSubsampling: '4:2:0' } as const;

const FRAMES = 24;

const RECIPES = {
  'photo-24mp': {
    file: 'photo-24mp.jpg',
    make: async () => (await largePhotograph(6000, 4000)).jpeg(CAMERA).toBuffer(),
  },
  'photo-6mp': { file: 'photo-6mp.jpg', make: async () => (await photograph(3000, 2000)).jpeg(CAMERA).toBuffer() },
  'photo-1mp': { file: 'photo-1mp.jpg', make: async () => (await photograph(1224, 816)).jpeg(CAMERA).toBuffer() },
  'photo-2mp': { file: 'photo-2mp.jpg', make: async () => (await photograph(1732, 1155)).jpeg(CAMERA).toBuffer() },
  'photo-12mp': {
    file: 'photo-12mp.jpg',
    make: async () => (await largePhotograph(4244, 2828)).jpeg(CAMERA).toBuffer(),
  },
  'page-1mp': { file: 'page-1mp.png', make: () => page(1000) },
  'page-2mp': { file: 'page-2mp.png', make: () => page(1414) },
  'page-12mp': { file: 'page-12mp.png', make: () => page(3464) },
  screenshot: {
    file: 'screenshot.png',
    make: async () =>
      sharp(await screenshot(1920, 1080))
        .removeAlpha()
        .png()
        .toBuffer(),
  },
  cutout: { file: 'cutout.png', make: async () => (await cutout(1224, 816)).png().toBuffer() },
  animation: {
    file: 'animation.gif',
    make: async () => (await animation(480, 320, FRAMES)).gif({ delay: Array(FRAMES).fill(80), effort: 2 }).toBuffer(),
  },
} satisfies Record<string, Recipe>;

export type InputName = keyof typeof RECIPES;

export interface Input {
  path: string;
  bytes: number;
  sha256: string;
}

/** Creates the file if it does not exist. */
export async function prepareInput(name: InputName): Promise<Input> {
  const recipe = RECIPES[name];
  const path = join(FOLDER, recipe.file);
  if (!existsSync(path)) {
    await mkdir(FOLDER, { recursive: true });
    const made = await recipe.make();
    // Writes and then renames, so that an interrupted run leaves no partial file.
    await writeFile(`${path}.part`, made);
    await rename(`${path}.part`, path);
  }
  const data = await readFile(path);
  return { path, bytes: data.length, sha256: createHash('sha256').update(data).digest('hex') };
}
