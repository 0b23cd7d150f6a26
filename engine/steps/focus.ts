/** The part of an image that a cut keeps: its centre, a given place, or faces. */
import type { Point } from '../../base/geometry.ts';
import { type DecodedImage, mapFrames } from '../../codecs/decoded-image.ts';
import type { Image } from '../../codecs/vips.ts';
import type { ModelPurpose } from '../../models/catalogue.ts';
import type { Focus } from '../operations/parse-parameters.ts';
import type { ApplyContext, StepResult } from './step.ts';

/** The models that a focus needs. */
export const focusModels = (focus: Focus | undefined): ModelPurpose[] => (focus === 'faces' ? ['faces'] : []);

/** Cuts a frame around a place; undefined for the centre. */
type Cut = (frame: Image, place: Point | undefined) => Image;

/**
 * Cuts the frames of an image around its focus.
 * @param focus undefined for the centre
 * @throws Failure `model_unavailable`
 */
export const cutAround = (
  image: DecodedImage,
  focus: Focus | undefined,
  context: ApplyContext,
  cut: Cut,
): DecodedImage | Promise<StepResult> =>
  focus === 'faces' ? cutAroundFaces(image, context, cut) : mapFrames(image, (frame) => cut(frame, focus));

async function cutAroundFaces(image: DecodedImage, { context, after }: ApplyContext, cut: Cut): Promise<StepResult> {
  const { focusOnFaces } = await import('./worker/face-focus.ts');
  const place = await focusOnFaces(context, image.frames[0], after);
  return { image: mapFrames(image, (frame) => cut(frame, place)), warnings: place ? [] : ['no_faces_found'] };
}
