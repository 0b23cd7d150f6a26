import type { ImageResult } from '../../result.ts';
import type { OperationDefinition, OperationInput } from '../definition.ts';
import { type BlurFacesParams, blurFacesParams, COVERED_FORMATS } from './params.ts';

export interface BlurFacesResult extends ImageResult {
  /** Number of areas that were covered. */
  faces: number;
}

export type BlurFacesInput = OperationInput<BlurFacesParams>;

export const blurFaces: OperationDefinition<'blur-faces', typeof blurFacesParams, BlurFacesInput, BlurFacesResult> = {
  name: 'blur-faces',
  title: 'Blur faces',
  hint: 'Faces, or areas that you draw, made unrecognisable.',
  summary: 'Blur or pixelate faces',
  description:
    'Covers an ellipse slightly larger than each box, with a soft edge. The rest of the image stays the same; its metadata is removed. Without `boxes`, the request is an AI request and covers every face that is found. Small, turned and hidden faces can be missed, so check the result where it matters. If nothing is covered and the format stays the same, the image is not encoded again.',
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
