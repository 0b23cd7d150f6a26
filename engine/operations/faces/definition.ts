import { z } from 'zod';
import type { OperationDefinition, OperationInput } from '../definition.ts';
import { type FacesResult, faceDetectionResult, facesText } from './record.ts';

/** `faces` has no parameters except the choice of the image (sourceParams). */
export const facesParams = z.strictObject({});

export type FacesInput = OperationInput;

export const faces: OperationDefinition<'faces', typeof facesParams, FacesInput, FacesResult> = {
  name: 'faces',
  title: 'Find faces',
  hint: 'Where faces are in an image.',
  summary: 'Find the faces in an image',
  description:
    'An AI request. Boxes are in the image as displayed, largest first. Nothing is stored. Small, turned-away and covered faces can be missed, and faces of animals and drawings can be found.',
  params: facesParams,
  groups: [],
  output: { kind: 'record', description: 'The faces.', schema: faceDetectionResult, toText: facesText },
  errors: ['model_unavailable'],
  meter: 'ai',
  model: 'faces',
  estimate: { baseMs: 150, megapixelMs: 40 },
  commandExamples: ['group.jpg'],
};
