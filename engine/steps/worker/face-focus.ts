/** Finds the place on which a cut is centred to keep the faces of an image. */
import type { Point, Size } from '../../../base/geometry.ts';
import type { Image } from '../../../codecs/vips.ts';
import type { WorkerContext } from '../../context.ts';
import { facesOf } from '../../operations/faces/detect.ts';

/**
 * The middle of all faces. In a direction in which the cut is too short for all of them, the middle of the largest.
 * @param shape of the cut; it is as large as fits into the image
 * @returns undefined if no face is found
 * @throws Failure `model_unavailable`
 */
export async function focusOnFaces(context: WorkerContext, image: Image, shape: Size): Promise<Point | undefined> {
  const faces = await facesOf(context, image, await context.models.open('faces'));
  const [largest] = faces;
  if (!largest) return undefined;
  const scale = Math.min(image.width / shape.width, image.height / shape.height);
  const middle = (start: 'x' | 'y', side: 'width' | 'height') => {
    const first = Math.min(...faces.map((face) => face[start]));
    const last = Math.max(...faces.map((face) => face[start] + face[side]));
    const all = last - first <= shape[side] * scale;
    return (all ? (first + last) / 2 : largest[start] + largest[side] / 2) / image[side];
  };
  return { x: middle('x', 'width'), y: middle('y', 'height') };
}
