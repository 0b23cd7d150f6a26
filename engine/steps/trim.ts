import type { Box } from '../../base/geometry.ts';
import { mapFrames } from '../../codecs/decoded-image.ts';
import type { Rectangle } from '../../codecs/rectangle.ts';
import { cutOut } from './crop.ts';
import { defineStep, isSameSize, sameSize, unlessSame } from './step.ts';

export interface TrimParams {
  trim_threshold: number;
  /** What is inside the border; null if the image has no content. Undefined until it is measured. */
  content?: Rectangle | null | undefined;
}

/** Its measurement is in worker/trim.ts. */
export const trim = defineStep({
  label: { name: 'Trim', hint: 'Cut off a border of one colour.', group: 'Size and shape', place: 3 },
  params: ({ integer, described }) => ({
    trim_threshold: described(
      integer(0, 100).default(10),
      'How far samples of the border that is cut may be from its colour, in levels of 255.',
      30,
    ),
  }),
  effect(params, before) {
    const area = contentBox(params);
    return area ? unlessSame(area, before) : sameSize(before, area === undefined);
  },
  apply(image, params) {
    const area = contentBox(params);
    return area ? mapFrames(image, (frame) => cutOut(frame, area)) : image;
  },
  changesPixels: (_params, before, after) => !isSameSize(before, after),
  shownArea: (params) => contentBox(params) ?? undefined,
  onCoefficients: (params) => ({ area: contentBox(params) ?? undefined }),
  keepsVector: true,
  keepsColours: true,
});

function contentBox({ content }: TrimParams): Box | null | undefined {
  if (!content) return content;
  const { left, top, right, bottom } = content;
  return { x: left, y: top, width: right - left, height: bottom - top };
}
