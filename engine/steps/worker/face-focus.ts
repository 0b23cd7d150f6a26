/** Finds the place on which a cut is centred to keep the faces of an image. */
import { startKernels } from '../../../codecs/kernels/kernels.ts';
import type { Image } from '../../../codecs/vips.ts';
import type { WorkerContext } from '../../context.ts';
import { findFaces } from '../../operations/faces/detect.ts';
import type { Point } from '../../operations/parse-parameters.ts';
import { areaOf, type Size } from '../step.ts';

/**
 * The middle of all faces. In a direction in which the cut is too short for all of them, the middle of the largest.
 * @param shape of the cut; it is as large as fits into the image
 * @returns undefined if no face is found
 * @throws Failure `model_unavailable`
 */
export async function focusOnFaces(context: WorkerContext, image: Image, shape: Size): Promise<Point | undefined> {
  const { width, height } = image;
  const finder = { model: await context.models.open('faces'), kernels: startKernels(context.modules) };
  const faces = await findFaces(finder, { width, height, atLeast: async () => image });
  const largest = faces.toSorted((one, other) => areaOf(other) - areaOf(one))[0];
  if (!largest) return undefined;
  const scale = Math.min(width / shape.width, height / shape.height);
  const middle = (start: 'x' | 'y', side: 'width' | 'height') => {
    const first = Math.min(...faces.map((face) => face[start]));
    const last = Math.max(...faces.map((face) => face[start] + face[side]));
    const all = last - first <= shape[side] * scale;
    return (all ? (first + last) / 2 : largest[start] + largest[side] / 2) / image[side];
  };
  return { x: middle('x', 'width'), y: middle('y', 'height') };
}
