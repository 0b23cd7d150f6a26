/** The part of an image that a cut keeps: its centre, a given place, or faces. */
import { type DecodedImage, mapFrames } from '../../codecs/decoded-image.ts';
import type { Image } from '../../codecs/vips.ts';
import type { ModelPurpose } from '../../models/catalogue.ts';
import { FACES_FOCUS, type Point, parseFocus } from '../operations/parse-parameters.ts';
import type { ApplyContext, StepResult } from './step.ts';

export const CENTRE: Point = { x: 0.5, y: 0.5 };

/** The models that a focus needs. */
export const focusModels = (focus: string | undefined): ModelPurpose[] => (focus === FACES_FOCUS ? ['faces'] : []);

/**
 * Cuts the frames of an image around its focus.
 * @param focus undefined for the centre
 * @throws Failure `model_unavailable`
 */
export function focusedOn(
  image: DecodedImage,
  focus: string | undefined,
  { context, after }: ApplyContext,
  cut: (frame: Image, focus: Point) => Image,
): DecodedImage | Promise<StepResult> {
  if (focus !== FACES_FOCUS)
    return mapFrames(image, (frame) => cut(frame, focus === undefined ? CENTRE : parseFocus(focus)));
  return (async () => {
    const { focusOnFaces } = await import('./worker/face-focus.ts');
    const [frame] = image.frames;
    const found = await focusOnFaces(context, frame, after);
    return {
      image: mapFrames(image, (each) => cut(each, found ?? CENTRE)),
      warnings: found ? [] : ['no_faces_found'],
    };
  })();
}
