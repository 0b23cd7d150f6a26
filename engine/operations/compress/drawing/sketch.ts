/** Compares two SVGs: whether they look the same. */
import { Failure } from '../../../../base/failure.ts';
import { openSource } from '../../../../codecs/read.ts';
import { type Source, WHOLE_IMAGE } from '../../../../codecs/source.ts';
import { trackHandles } from '../../../../codecs/vips.ts';
import type { WorkerContext } from '../../../context.ts';
import { rgbOf } from '../../../quality/measure.ts';
import { lumaOf } from '../../../quality/rgb.ts';
import { similarity } from '../../../quality/similarity.ts';

/** Longer side in pixels. Paths are rounded for an image of 2048 pixels (path-digits.ts). */
const SKETCH_SIDE = 1024;
const CHANNELS = 4;
const OPAQUE = 255;
/**
 * Maximum difference per channel, 0 to 255, because rounded paths move the pixels of their edges. Of 18 SVGs of the
 * corpus, 17 do not differ at all, and one differs by 32 and is returned with exact paths.
 */
const MAX_DIFFERENCE = 16;

export interface Preview {
  /** RGBA. */
  data: Uint8Array;
  /** Size of the preview in pixels. */
  width: number;
  height: number;
  /** Size at which the file is rendered by default. */
  drawn: { width: number; height: number };
}

/**
 * Renders a file so that its longer side has {@link SKETCH_SIDE} pixels, whatever size it declares.
 * @throws Failure `corrupt_image`; `image_too_large` if rendering takes too much work even at its own size
 */
export async function renderPreview(context: WorkerContext, bytes: Uint8Array): Promise<Preview> {
  const source = await openSource(context, { bytes, format: 'svg' });
  const { width, height } = source.header;
  const scale = SKETCH_SIDE / Math.max(width, height);
  const drawAt = async (factor: number): Promise<Preview> => {
    const pixels = await rgba(context, source.scaled!(factor));
    return { ...pixels, drawn: { width, height } };
  };
  try {
    return await drawAt(scale);
  } catch (error) {
    // A small SVG with heavy filters is rendered at its own size.
    if (scale > 1 && error instanceof Failure && error.code === 'image_too_large') return await drawAt(1);
    throw error;
  }
}

async function rgba({ vips }: WorkerContext, source: Source): Promise<Omit<Preview, 'drawn'>> {
  const handles = trackHandles(vips);
  try {
    const { frames } = await source.open(WHOLE_IMAGE);
    const [{ width, height }] = frames;
    return { data: new Uint8Array(frames[0].writeToMemory()), width, height };
  } finally {
    handles.free();
  }
}

/** Whether the difference is invisible. @param maxDifference per channel */
export function isVisuallyEqual(a: Preview, b: Preview, maxDifference = MAX_DIFFERENCE): boolean {
  const isSized = a.drawn.width === b.drawn.width && a.drawn.height === b.drawn.height;
  return isSized && a.data.length === b.data.length && largestDifference(a, b) <= maxDifference;
}

/** Largest difference of a channel of a pixel, 0 to 255, with colours weighted by their opacity. */
export function largestDifference({ data: a }: Pick<Preview, 'data'>, { data: b }: Pick<Preview, 'data'>): number {
  if (Buffer.compare(a, b) === 0) return 0;
  let largest = 0;
  for (let at = 0; at < a.length; at += CHANNELS) {
    const [alphaA, alphaB] = [a[at + 3]!, b[at + 3]!];
    largest = Math.max(largest, Math.abs(alphaA - alphaB));
    for (let channel = 0; channel < 3; channel++) {
      const difference = a[at + channel]! * alphaA - b[at + channel]! * alphaB;
      largest = Math.max(largest, Math.abs(difference) / OPAQUE);
    }
  }
  return largest;
}

/** Similarity of two SVGs, 0 to 1, as for other results. */
export function similarityOf({ vips }: WorkerContext, reference: Preview, result: Preview): number {
  const luma = ({ data, width, height }: Preview) =>
    lumaOf(
      rgbOf(
        vips,
        vips.Image.newFromMemory(data, width, height, CHANNELS, vips.BandFormat.uchar).copy({ interpretation: 'srgb' }),
      ),
    );
  return similarity(luma(reference), luma(result));
}
