/** Places a photo on the largest face of an image: finds it, levels its eyes, and says which area becomes the photo. */
import type { Box, Point } from '../../../base/geometry.ts';
import { premultiplied } from '../../../codecs/colour.ts';
import { copyToMemory, type DecodedImage, mapFrames } from '../../../codecs/decoded-image.ts';
import type { Image } from '../../../codecs/vips.ts';
import type { LoadedModel } from '../../../models/runtime.ts';
import type { WorkerContext } from '../../context.ts';
import type { Warning } from '../../result.ts';
import { noFace } from '../errors.ts';
import { facesOf } from '../faces/detect.ts';
import { type Alignment, alignHead, headOf, isTooSloped } from './head.ts';
import type { Photo } from './photo.ts';

export interface AlignedImage {
  /** Of the size of the image before. */
  image: DecodedImage;
  crop: Box;
  alignment: Alignment;
  warnings: Warning[];
}

/**
 * @param decoded upright, 8 bits, one frame
 * @throws Failure 422 `no_subject` if no face is found
 */
export async function alignToFace(
  context: WorkerContext,
  decoded: DecodedImage,
  photo: Photo,
  model: LoadedModel,
): Promise<AlignedImage> {
  const image = copyToMemory(decoded);
  const [frame] = image.frames;
  const [face, ...others] = await facesOf(context, frame, model);
  if (!face) throw noFace();
  const head = headOf(face);
  const alignment = alignHead(frame, head, photo);
  const { degrees, crop, isInRange } = alignment;
  return {
    image: degrees === 0 ? image : mapFrames(image, (each) => rotateAround(context, each, head.eyes, degrees)),
    crop,
    alignment,
    warnings: [
      ...(isInRange ? [] : (['head_out_of_range'] as const)),
      ...(others.length > 0 || isTooSloped(head) ? (['low_confidence'] as const) : []),
    ],
  };
}

/** Rotates clockwise and keeps the size. libvips computes only the pixels that are read later. */
function rotateAround({ vips }: WorkerContext, image: Image, { x, y }: Point, degrees: number): Image {
  const angle = (degrees * Math.PI) / 180;
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  const turn = (each: Image) =>
    each.affine([cos, -sin, sin, cos], {
      interpolate: vips.Interpolate.newFromName('bicubic'),
      oarea: [0, 0, image.width, image.height],
      ...{ idx: -x, idy: -y, odx: x, ody: y },
      extend: 'copy',
    });
  return premultiplied(image, turn).cast(image.format);
}
