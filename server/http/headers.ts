/** The headers of a response that carries an image, each with its description (docs/spec/shapes.md, section 5). */
import { z } from 'zod';
import { OPERATION_FIELDS, type OperationField } from '../../engine/operations/registry.ts';
import { OUTCOMES, type Outcome } from '../../engine/result.ts';

export const QUOTA_METERS = ['requests', 'ai', 'requests, ai', 'none'] as const;
/** The value of X-Quota-Meter. */
export type QuotaMeter = (typeof QUOTA_METERS)[number];

const count = (description: string, example: number) => header(z.int().min(0), description, example);
const text = (description: string, example: string) => header(z.string(), description, example);

const header = <T extends z.ZodType>(schema: T, description: string, example: unknown) =>
  schema.optional().meta({ description, examples: [example] });

const operationHeaders: object = Object.fromEntries(
  OPERATION_FIELDS.map(({ header, description, example }) => [header, count(description, example)]),
);

export const ANSWER_HEADERS = {
  'X-IC-Original-Bytes': count('Size of the source in bytes.', 812_345),
  'X-IC-Bytes': count('Size of the result in bytes.', 98_765),
  'X-IC-Width': count('Width of the result in pixels.', 1024),
  'X-IC-Height': count('Height of the result in pixels.', 836),
  'X-IC-Format': text('Format of the result, as in the list of formats.', 'webp'),
  'X-IC-Outcome': header(
    z.enum(Object.keys(OUTCOMES) as Outcome[]),
    Object.entries(OUTCOMES)
      .map(([code, meaning]) => `${code}: ${meaning}`)
      .join(' '),
    'reduced',
  ),
  'X-IC-Warnings': text(
    'Codes of warnings, separated by commas; absent when there are none.',
    'animation_flattened,color_converted',
  ),
  'X-IC-Duration-Ms': count('Processing time in milliseconds.', 84),
  'X-IC-Fingerprint': text(
    'Perceptual hash of the source, 16 hexadecimal digits; with fingerprint=true.',
    'c3d4a1b2e5f60718',
  ),
  'X-IC-Similarity': text('Closeness of the result to the source, 0 to 1; with score=true.', '0.9921'),
  ...operationHeaders,
  'X-IC-Steps': text('pipeline: steps that were applied, of all.', '2/3'),
  'X-Quota-Meter': header(z.enum(QUOTA_METERS), 'The allowances that the answer was counted against.', 'requests'),
  'RateLimit-Policy': text(
    "The caller's limits: requests a minute, and a month's allowances. On every answer to a key.",
    '"minute";q=120;w=60, "month";q=1000, "ai";q=100',
  ),
  RateLimit: text(
    'What remains of each, and the seconds until there is more.',
    '"minute";r=118;t=42, "month";r=873;t=912345, "ai";r=97;t=912345',
  ),
  'X-IC-Test-Mode': header(z.literal('true'), 'On every answer to a test key.', 'true'),
  'X-Request-Id': text(
    'Id of the request: the one that it came with, if that was acceptable, or a new one. On every answer.',
    'req_01JD3Z8Q4W0V6S8H2N5B7C9E1F',
  ),
  'Content-Disposition': text(
    'Suggested file name: that of the source with the new extension.',
    `inline; filename="photo.webp"; filename*=UTF-8''photo.webp`,
  ),
  'Retry-After': count('Seconds after which trying again makes sense; with status 429 and 503.', 2),
};

export type AnswerHeader = keyof typeof ANSWER_HEADERS | OperationField['header'];
