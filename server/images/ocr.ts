/** POST /api/v1/ocr: reads the text in an image, with the position of each word. */
import type { z } from 'zod';
import { checkOcrParams, ocrParams } from '../../engine/operations/ocr/params.ts';
import { recognition } from '../../engine/operations/ocr/record.ts';
import { ONE_AI_REQUEST } from '../account/credits.ts';
import { jsonResponse } from '../http/openapi-parts.ts';
import type { OperationDeclaration } from './declaration.ts';
import { sourceOperationDocumentation } from './documentation.ts';
import { sourceOperation } from './source-operation.ts';

export const ocrOperation: OperationDeclaration<'ocr', typeof ocrParams> = {
  task: 'ocr',
  path: '/api/v1/ocr',
  summary: 'Read the text in an image',
  description:
    'Printed text of any size, turned or tilted, dark on light or light on dark. Nothing is stored. Text that is hard to read comes with the warning low_confidence.',
  params: ocrParams,
  check: checkOcrParams,
  errors: [],
  lane: 'interactive',
  cost: ONE_AI_REQUEST,
  toInput: (image, params) => ({ image, params }),
};

export const ocr = sourceOperation<'ocr', z.output<typeof ocrParams>>({
  ...ocrOperation,
  document: (params) => ({
    ...sourceOperationDocumentation({ ...ocrOperation, params }),
    responses: { '200': jsonResponse('The text.', recognition) },
  }),
  summarise: ({ record: { width, height }, phases }) => ({ pixels: width * height, phases, bytes: 0 }),
  answer({ ctx }, { result, durationMs }) {
    ctx.body = { ...result.record, duration_ms: Math.round(durationMs) } satisfies z.output<typeof recognition>;
    ctx.set('Cache-Control', 'no-store');
  },
});
