/** The response of an operation that returns several files in a ZIP. It can be sent or stored. */
import { z } from 'zod';
import type { ZipOutput, ZipResult } from '../../engine/operations/definition.ts';
import { ANSWER_HEADERS } from '../http/headers.ts';
import { JSON_TYPE } from '../http/json-body.ts';
import { type DeliveryParams, deliveryParams, sendResult, storeResult } from '../results/output.ts';
import { storedResult } from '../results/stored-result.ts';
import { ZIP_FORMAT, ZIP_OUTCOME, ZIP_TYPE } from '../results/zip.ts';
import type { RequestContext } from './request-context.ts';
import type { FinishedTask, OperationResponse } from './response.ts';

const { id, url, expires_at, bytes, warnings, duration_ms, quota_meter, test_mode } = storedResult.shape;

/** The record of a stored ZIP. */
export function storedZip({ filename, exampleFiles, schemaId }: ZipOutput) {
  return z
    .object({
      id,
      url,
      expires_at,
      filename: z.string().meta({ description: 'Suggested name.', examples: [filename] }),
      bytes,
      files: z.array(z.string()).meta({ description: 'Names of the files in the ZIP.', examples: [[...exampleFiles]] }),
      warnings,
      duration_ms,
      quota_meter,
      test_mode,
    })
    .meta({ id: schemaId });
}
type StoredZip = z.output<ReturnType<typeof storedZip>>;

/** Returns the fields that a ZIP has in every kind of response. */
export const describeZip = ({ filename }: ZipOutput, { data, files, warnings }: ZipResult, durationMs: number) => ({
  filename,
  bytes: data.byteLength,
  files,
  warnings,
  duration_ms: Math.round(durationMs),
});

const headers = z.object(ANSWER_HEADERS).pick({
  'X-IC-Original-Bytes': true,
  'X-IC-Bytes': true,
  'X-IC-Outcome': true,
  'X-IC-Warnings': true,
  'X-IC-Duration-Ms': true,
  'X-Quota-Meter': true,
  'RateLimit-Policy': true,
  RateLimit: true,
  'X-IC-Test-Mode': true,
  'X-Request-Id': true,
  'Content-Disposition': true,
});

type Delivery = Pick<DeliveryParams, 'output'>;

export function zipResponse(zip: ZipOutput): OperationResponse<ZipResult, Delivery> {
  return {
    params: deliveryParams.pick({ output: true }),
    errors: ['unsupported_output', 'storage_full'],
    documentation: {
      description: 'The ZIP; with output=json a link to it.',
      headers,
      content: { [ZIP_TYPE]: {}, [JSON_TYPE]: { schema: storedZip(zip) } },
    },
    summarise: ({ source, data, phases }) => ({
      pixels: source.width * source.height,
      bytes: data.byteLength,
      outcome: ZIP_OUTCOME,
      phases,
    }),
    async answer(exchange, finished, { output }) {
      const { ctx, room } = exchange;
      const { result, durationMs } = finished;
      room.reserve(result.data.byteLength);
      if (output === 'json') ctx.body = await store(exchange, zip, finished);
      else {
        const file = { filename: zip.filename, contentType: ZIP_TYPE, disposition: 'attachment' as const };
        sendResult(ctx, { ...result, ...file, outcome: ZIP_OUTCOME, durationMs });
      }
      ctx.set('Cache-Control', 'no-store');
    },
  };
}

async function store(
  { caller, services }: RequestContext,
  zip: ZipOutput,
  { result, durationMs, meter, testMode }: FinishedTask<ZipResult>,
): Promise<StoredZip> {
  const file = { filename: zip.filename, contentType: ZIP_TYPE, format: ZIP_FORMAT, width: null, height: null };
  const { link } = await storeResult(caller.account.id, { data: result.data, ...file }, services);
  return { ...link, ...describeZip(zip, result, durationMs), quota_meter: meter, test_mode: testMode };
}
