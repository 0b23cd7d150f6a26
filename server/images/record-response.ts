/** The response of an operation that returns data about an image. */
import { z } from 'zod';
import type { RecordOutput, RecordResult } from '../../engine/operations/definition.ts';
import { jsonResponse } from '../http/openapi-parts.ts';
import type { OperationResponse } from './response.ts';

export function recordResponse({
  description,
  schema,
}: Pick<RecordOutput<never>, 'description' | 'schema'>): OperationResponse<RecordResult> {
  return {
    params: z.strictObject({}),
    errors: [],
    documentation: jsonResponse(description, schema),
    summarise: ({ record: { width, height }, phases }) => ({ pixels: width * height, phases, bytes: 0 }),
    answer({ ctx }, { result, durationMs }) {
      ctx.body = { ...result.record, duration_ms: Math.round(durationMs) };
      ctx.set('Cache-Control', 'no-store');
    },
  };
}
