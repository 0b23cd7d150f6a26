/** POST /api/v1/faces: finds the faces in an image. */
import type { z } from 'zod';
import { facesParams } from '../../engine/operations/faces/params.ts';
import { type FaceDetectionResult, faceDetectionResult } from '../../engine/operations/faces/record.ts';
import { ONE_AI_REQUEST } from '../account/credits.ts';
import { jsonResponse } from '../http/openapi-parts.ts';
import type { OperationDeclaration } from './declaration.ts';
import { sourceOperationDocumentation } from './documentation.ts';
import { sourceOperation } from './source-operation.ts';

export const facesOperation: OperationDeclaration<'faces', typeof facesParams> = {
  task: 'faces',
  path: '/api/v1/faces',
  summary: 'Find the faces in a picture',
  description:
    'An AI request. Boxes are in the picture as displayed, largest first. Nothing is stored. Small, turned-away and covered faces can be missed, and faces of animals and drawings can be found.',
  params: facesParams,
  errors: ['scope_required', 'model_unavailable'],
  lane: 'interactive',
  cost: ONE_AI_REQUEST,
  toInput: (image, params) => ({ image, params }),
};

export const faces = sourceOperation<'faces', z.output<typeof facesParams>>({
  ...facesOperation,
  document: (params) => ({
    ...sourceOperationDocumentation({ ...facesOperation, params }),
    responses: { '200': jsonResponse('The faces.', faceDetectionResult) },
  }),
  summarise: ({ record: { width, height }, phases }) => ({ pixels: width * height, phases, bytes: 0 }),
  answer({ ctx }, { result, durationMs }) {
    ctx.body = { ...result.record, duration_ms: Math.round(durationMs) } satisfies FaceDetectionResult;
    ctx.set('Cache-Control', 'no-store');
  },
});
