/** The images on which encoders are compared, 1 MP each, kept in bench/tmp. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import sharp, { type Sharp } from 'sharp';
import { TMP } from '../inputs.ts';
import { cutout, drawing, gradient, PHOTOGRAPH_KIND, photograph, portrait, screenshot } from '../source-images.ts';

const WIDTH = 1224;
const HEIGHT = 816;
const FOLDER = join(TMP, `encoders-${PHOTOGRAPH_KIND}`);

const opaque = async (png: Promise<Buffer>) => sharp(await png).removeAlpha();

const SOURCES: Record<string, () => Promise<Sharp | undefined>> = {
  photograph: () => photograph(WIDTH, HEIGHT),
  face: () => portrait(WIDTH, HEIGHT),
  screenshot: () => opaque(screenshot(WIDTH, HEIGHT)),
  drawing: () => opaque(drawing(WIDTH, HEIGHT)),
  gradient: () => opaque(gradient(WIDTH, HEIGHT)),
  cutout: () => cutout(WIDTH, HEIGHT),
};

export interface ImageFile {
  name: string;
  /** Path of a PNG. */
  path: string;
}

export async function prepareImages(): Promise<ImageFile[]> {
  await mkdir(FOLDER, { recursive: true });
  const images: ImageFile[] = [];
  for (const [name, make] of Object.entries(SOURCES)) {
    const path = join(FOLDER, `${name}.png`);
    const image = await make();
    if (!image) continue;
    await image.png().toFile(path);
    images.push({ name, path });
  }
  return images;
}
