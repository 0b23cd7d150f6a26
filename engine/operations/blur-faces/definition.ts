import type { OperationDefinition, OperationInput } from '../definition.ts';
import { type BlurFacesParams, blurFacesParams, COVERED_FORMATS } from './params.ts';
import type { BlurFacesResult } from './result.ts';

export type BlurFacesInput = OperationInput<BlurFacesParams>;

export const blurFaces: OperationDefinition<'blur-faces', typeof blurFacesParams, BlurFacesInput, BlurFacesResult> = {
  name: 'blur-faces',
  title: 'Blur faces',
  hint: 'Faces, or areas that you draw, made unrecognisable.',
  summary: 'Blur or pixelate faces',
  description:
    'Covers an ellipse a little larger than each box, with a soft edge; everything else of the picture stays, its metadata do not. Without `boxes` an AI request, which covers every face that is found: look at the result where it matters, because small, turned-away and covered faces can be missed. When nothing is covered and the format stays, the picture is not encoded anew.',
  params: blurFacesParams,
  groups: [{ title: 'Settings', isOpen: true, parameters: ['effect', 'strength', 'format', 'boxes'] }],
  output: {
    kind: 'image',
    formats: COVERED_FORMATS,
    defaultFormat: 'auto',
    fields: {
      faces: {
        header: 'X-IC-Faces',
        description: 'areas that were covered.',
        example: 3,
        value: ({ faces }) => faces,
      },
    },
  },
  errors: ['model_unavailable'],
  meter: ({ boxes }) => (boxes === undefined ? 'ai' : 'requests'),
  model: 'faces',
  estimate: { baseMs: 150, megapixelMs: 80, encodes: true },
  commandExamples: ['street.jpg -o safe.jpg'],
};
