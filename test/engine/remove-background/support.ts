/** Runs remove-background on the real pool, and makes images with known subject, edge and background. */

import { sourceParams } from '../../../engine/operations/parameters.ts';
import {
  type RemoveBackgroundParams,
  removeBackgroundParams,
} from '../../../engine/operations/remove-background/params.ts';
import type { ImageResult } from '../../../engine/result.ts';
import type { SourceFile, TaskInput } from '../../../engine/task.ts';
import { ownBuffer, testEngine, testModelEngine } from '../../support/engine.ts';
import type { RawImage } from '../../support/test-images.ts';

export interface CutOptions extends Partial<RemoveBackgroundParams> {
  page?: number;
  filename?: string;
}

export interface Parts {
  mask?: Uint8Array;
  background?: Uint8Array;
}

const declaration = removeBackgroundParams.extend(sourceParams.shape);

export function cutInput(image: Uint8Array, options: CutOptions, parts: Parts = {}): TaskInput<'remove-background'> {
  const { filename } = options;
  const file = (bytes: Uint8Array): SourceFile => ({ data: ownBuffer(bytes) });
  return {
    image: { ...file(image), ...(filename === undefined ? {} : { filename }) },
    params: declaration.parse(options),
    ...(parts.mask ? { mask: file(parts.mask) } : {}),
    ...(parts.background ? { background: file(parts.background) } : {}),
  };
}

/** Runs remove-background with the default parameters. Without a mask, the model finds the subject. */
export async function cut(
  image: Uint8Array,
  options: CutOptions = {},
  parts: Parts = {},
): Promise<ImageResult & { bytes: Buffer }> {
  const engine = parts.mask ? await testEngine() : await testModelEngine();
  const result = await engine.run('remove-background', cutInput(image, options, parts));
  return { ...result, bytes: Buffer.from(result.data) };
}

export interface Disc {
  /** RGB image. */
  photo: RawImage;
  /** Grey image: the share of each pixel that the disc covers. */
  mask: RawImage;
}

export type Colour = readonly [number, number, number];

interface DiscOptions {
  width: number;
  height: number;
  /** Radius as a share of the shorter side. */
  radius?: number;
  /** Width of the edge in pixels. */
  edge?: number;
  subject?: Colour;
  background?: Colour;
}

/** Draws a disc in the middle of a plain background, mixed at its edge as by a lens. */
export function discImage({
  width,
  height,
  radius = 0.3,
  edge = 1,
  subject = [240, 200, 40],
  background = [30, 60, 160],
}: DiscOptions): Disc {
  const photo = Buffer.alloc(width * height * 3);
  const mask = Buffer.alloc(width * height);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const distance = Math.hypot(x + 0.5 - width / 2, y + 0.5 - height / 2) - radius * Math.min(width, height);
      const share = Math.min(Math.max(0.5 - distance / edge, 0), 1);
      const at = y * width + x;
      mask[at] = Math.round(share * 255);
      for (const channel of [0, 1, 2] as const) {
        photo[3 * at + channel] = Math.round(share * subject[channel] + (1 - share) * background[channel]);
      }
    }
  }
  return { photo: { data: photo, width, height, channels: 3 }, mask: { data: mask, width, height, channels: 1 } };
}
