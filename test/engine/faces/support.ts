/** Runs faces on the real pool with the installed model, and places known faces in images. */
import sharp, { type Sharp } from 'sharp';
import type { FaceDetection } from '../../../engine/operations/faces/record.ts';
import type { TaskInput } from '../../../engine/task.ts';
import { corpus, corpusSkipReason } from '../../support/corpus.ts';
import { ownBuffer, testModelEngine } from '../../support/engine.ts';
import { modelsSkipReason } from '../../support/models.ts';

/** Why tests with real faces are skipped, or false. */
export const noFaces = modelsSkipReason || corpusSkipReason;

export type Found = FaceDetection['faces'][number];

export function facesInput(image: Uint8Array, source: { page?: number; filename?: string } = {}): TaskInput<'faces'> {
  const { filename, page = 1 } = source;
  return { image: { data: ownBuffer(image), ...(filename === undefined ? {} : { filename }) }, params: { page } };
}

export async function findFaces(
  image: Uint8Array,
  source: { page?: number; filename?: string } = {},
): Promise<FaceDetection> {
  return (await (await testModelEngine()).run('faces', facesInput(image, source))).record;
}

/** An image of 512 x 512 pixels with one face. */
export const astronaut = (): Sharp => sharp(corpus('faces/scikit-image--astronaut.png'));
/** The position of the face, by eye: from the hairline to the chin and between the cheeks. */
export const ASTRONAUT = { x: 176, y: 64, width: 92, height: 114 };

/** Returns a grey image with copies of the face. Each copy has the given width and upper left corner. */
export async function withFaces(
  size: { width: number; height: number },
  faces: readonly { x: number; y: number; width: number }[],
): Promise<Sharp> {
  const portrait = { left: 136, top: 20, width: 180, height: 190 };
  const layers = await Promise.all(
    faces.map(async ({ x, y, width }) => {
      const scale = width / ASTRONAUT.width;
      const input = await astronaut()
        .extract(portrait)
        .resize(Math.round(portrait.width * scale))
        .png()
        .toBuffer();
      const left = Math.round(x - (ASTRONAUT.x - portrait.left) * scale);
      return { input, left, top: Math.round(y - (ASTRONAUT.y - portrait.top) * scale) };
    }),
  );
  const canvas = sharp({ create: { ...size, channels: 3, background: '#8c8c8c' } });
  return sharp(await canvas.composite(layers).png({ compressionLevel: 1 }).toBuffer());
}

/** Returns the intersection over union of two boxes, 0 to 1. */
export function overlap(one: Omit<Found, 'score'>, other: Omit<Found, 'score'>): number {
  const width = Math.min(one.x + one.width, other.x + other.width) - Math.max(one.x, other.x);
  const height = Math.min(one.y + one.height, other.y + other.height) - Math.max(one.y, other.y);
  if (width <= 0 || height <= 0) return 0;
  return (width * height) / (one.width * one.height + other.width * other.height - width * height);
}
