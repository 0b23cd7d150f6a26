import { invalidParameter } from '../../base/failure.ts';
import type { Size } from '../../base/geometry.ts';
import { blurFacesParams, parseBoxes } from '../operations/blur-faces/params.ts';
import { defineStep, sameSize } from './step.ts';

/** Its execution is in worker/blur-faces.ts. */
export const blurFaces = defineStep({
  label: { name: 'Blur faces', hint: 'Find faces and hide them. Uses a model.', group: 'With a model', place: 2 },
  params() {
    const { effect, strength, boxes } = blurFacesParams.shape;
    return { effect, strength, boxes };
  },
  // The operation covers nothing then, and a step that cannot do anything is a mistake.
  check({ boxes }) {
    if (boxes === '') throw invalidParameter('at least one area', 'boxes', boxes);
  },
  effect: ({ boxes }, before) => sameSize(before, boxes === undefined || coversAny(boxes, before)),
  models: ({ boxes }) => (boxes === undefined ? ['faces'] : []),
  needsPlainSamples: true,
  readsRowsInOrder: false,
  keepsAlpha: true,
});

const coversAny = (boxes: string, image: Size): boolean =>
  parseBoxes(boxes).some(
    ({ x, y, width, height }) => x < image.width && y < image.height && x + width > 0 && y + height > 0,
  );
