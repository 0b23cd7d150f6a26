/** The record of a result that is not sent as the response body (docs/spec/shapes.md, sections 6.1 and 6.2). */
import { z } from 'zod';
import { described } from '../../base/described.ts';
import { FORMATS } from '../../codecs/formats/registry.ts';
import { OPERATION_FIELDS } from '../../engine/operations/registry.ts';
import type { StepReport } from '../../engine/pipeline/record.ts';
import type { ImageResult } from '../../engine/result.ts';
import { QUOTA_METERS, type QuotaMeter } from '../http/headers.ts';
import { count, dateTime, positive } from '../http/record.ts';
import { describeSteps, type PipelineIdentity, pipelineIdentity, stepReport } from './step-report.ts';

/** Fields that only some operations have. Each is also a header (output.ts). */
const facts: object = Object.fromEntries(
  OPERATION_FIELDS.map(({ name, description, example }) => [name, described(count().optional(), description, example)]),
);
export type Facts = Readonly<Record<string, number>>;

const description = {
  filename: z.string().meta({ description: 'Suggested name.', examples: ['photo.webp'] }),
  content_type: z.string().meta({ examples: ['image/webp'] }),
  format: z.string().meta({ description: 'Format of the result.', examples: ['webp'] }),
  bytes: count('Size of the result.', 98_765),
  width: positive('In pixels.', 1024),
  height: positive('In pixels.', 836),
  dpi: described(z.number().nullable(), 'Resolution recorded in the file.', 300),
  sha256: z.string().meta({ description: 'SHA-256 of the result in hexadecimal.' }),
  original_bytes: count('Size of the source.', 812_345),
  original_format: z.string().meta({ examples: ['jpeg'] }),
  original_width: positive('As displayed.', 2725),
  original_height: positive('As displayed.', 2225),
  saved_bytes: z.int().meta({ description: 'original_bytes - bytes; may be negative.', examples: [713_580] }),
  saved_percent: z.number().meta({ description: 'May be negative.', examples: [87.8] }),
  outcome: z.string().meta({ description: 'As in X-IC-Outcome.', examples: ['reduced'] }),
  warnings: z.array(z.string()).meta({ description: 'As in X-IC-Warnings.', examples: [[]] }),
  duration_ms: count('Processing time.', 84),
  quota_meter: z.enum(QUOTA_METERS).meta({ description: 'As in X-Quota-Meter.', examples: ['requests'] }),
  test_mode: z.boolean().meta({ description: 'True for test keys.', examples: [false] }),
  fingerprint: z.string().optional().meta({ description: 'As in X-IC-Fingerprint.' }),
  similarity: z.number().optional().meta({ description: 'As in X-IC-Similarity.' }),
  explain: z
    .array(
      z
        .object({
          format: z.string(),
          quality: z.int().nullable(),
          bytes: count(),
          similarity: z.number(),
          chosen: z.boolean(),
        })
        .meta({ id: 'TriedEncoding' }),
    )
    .optional()
    .meta({ description: 'The encodings that mode smart tried.' }),
  ...facts,
};

export const storedResult = z
  .object({
    id: z.string().meta({ examples: ['file_01JD3Z8Q4W0V6S8H2N5B7C9E1F'] }),
    url: z.string().meta({ format: 'uri', description: 'Where the result is for one hour, with the same key.' }),
    expires_at: dateTime(),
    ...description,
    pipeline: pipelineIdentity.optional().meta({ description: 'pipeline: what was run.' }),
    steps: z.array(stepReport).optional().meta({ description: 'pipeline: what became of each step.' }),
  })
  .meta({ id: 'StoredResult' });
export type StoredResult = z.output<typeof storedResult>;

export const deliveredResult = z
  .object({
    ...description,
    delivered: z.literal(true),
    delivery: z.object({
      host: z.string(),
      status: z.int().meta({ description: 'What the storage answered.', examples: [200] }),
      duration_ms: count(),
    }),
  })
  .meta({ id: 'DeliveredResult' });
export type DeliveredResult = z.output<typeof deliveredResult>;

/** A result that is ready to be sent, stored or delivered. */
export interface FinishedResult {
  result: ImageResult;
  /** Name that the source was sent with, if any. */
  sourceName: string | undefined;
  /** Processing time in milliseconds. */
  durationMs: number;
  /** The quota that the request counts against. */
  meter: QuotaMeter;
  /** Whether the request used a test key. */
  testMode: boolean;
  /** Fields that only this operation has. */
  facts: Facts;
  /** File name of the result, if it does not follow from the name of the source. */
  filename?: string;
  /** The pipeline that produced the result, if any. */
  pipeline?: PipelineIdentity & { steps: readonly StepReport[] };
}

/** Returns the fields that both records share. */
export function describeResult(
  { result, durationMs, meter, testMode, facts, pipeline }: FinishedResult,
  filename: string,
  sha256: string,
) {
  const { source } = result;
  const bytes = result.data.byteLength;
  const savedBytes = source.bytes - bytes;
  return {
    ...describeFile({ ...result, bytes }, filename),
    sha256,
    ...describeSource(source),
    saved_bytes: savedBytes,
    saved_percent: Math.round((savedBytes / source.bytes) * 1000) / 10,
    outcome: result.outcome,
    warnings: result.warnings,
    ...describeRequest({ durationMs, meter, testMode }),
    ...(result.fingerprint === undefined ? {} : { fingerprint: result.fingerprint }),
    ...describeMeasurements(result),
    ...facts,
    ...(pipeline === undefined ? {} : describePipeline(pipeline)),
  };
}

type ResultFile = Pick<ImageResult, 'format' | 'width' | 'height' | 'dpi'> & { bytes: number };

/** Returns the fields of a file. */
export const describeFile = ({ format, bytes, width, height, dpi }: ResultFile, filename: string) => ({
  filename,
  content_type: FORMATS[format].contentTypes[0],
  ...{ format, bytes, width, height, dpi },
});

/** Returns the fields of the source. */
export const describeSource = ({ bytes, format, width, height }: ImageResult['source']) => ({
  original_bytes: bytes,
  original_format: format,
  original_width: width,
  original_height: height,
});

/** Returns the fields that do not depend on the result. */
export const describeRequest = ({
  durationMs,
  meter,
  testMode,
}: Pick<FinishedResult, 'durationMs' | 'meter' | 'testMode'>) => ({
  duration_ms: Math.round(durationMs),
  quota_meter: meter,
  test_mode: testMode,
});

/** Returns what the encoder has measured, if anything was asked of it. */
export const describeMeasurements = ({ similarity, explain }: Pick<ImageResult, 'similarity' | 'explain'>) => ({
  ...(similarity === undefined ? {} : { similarity: Number(similarity.toFixed(4)) }),
  ...(explain === undefined ? {} : { explain }),
});

export const describePipeline = ({ name, version, steps }: NonNullable<FinishedResult['pipeline']>) => ({
  pipeline: { name, version },
  steps: describeSteps(steps),
});
