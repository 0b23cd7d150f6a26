/** Parts of the OpenAPI document that operations share. */
import { z } from 'zod';
import type { ZodOpenApiRequestBodyObject, ZodOpenApiResponseObject, ZodOpenApiResponsesObject } from 'zod-openapi';
import { described } from '../../base/described.ts';
import { type ErrorCode, HTTP_STATUS_BY_CODE, STATUS_BY_CODE } from '../../base/failure.ts';
import { HINTS } from '../../base/hints.ts';
import type { EndpointDeclaration } from './endpoint.ts';
import { ANSWER_HEADERS } from './headers.ts';
import { JSON_TYPE } from './json-body.ts';

export const errorSchema = z
  .object({
    error: z.object({
      code: z.string().meta({
        description: `What went wrong, for programs: ${Object.keys(HTTP_STATUS_BY_CODE).join(', ')}. Codes may be added.`,
        examples: ['invalid_parameter'],
      }),
      message: z.string().meta({
        description: 'What went wrong and what was expected, for people.',
        examples: ['Expected an integer from 1 to 100 for quality but received "abc".'],
      }),
      hint: described(z.string(), 'What to do next, for people.', HINTS.invalid_parameter),
      param: described(z.string().optional(), 'The parameter, field or part at fault.', 'quality'),
      request_id: z.string().meta({ description: 'As in X-Request-Id.', examples: ['req_01JD3Z8Q4W0V6S8H2N5B7C9E1F'] }),
    }),
  })
  .meta({ id: 'Error', description: 'Body of every answer with a status of 4xx or 5xx.' });

/** Error codes that every endpoint can return. */
const COMMON_ERRORS: readonly ErrorCode[] = ['invalid_request', 'invalid_parameter', 'internal_error', 'shutting_down'];
const ACCESS_ERRORS: Readonly<Record<EndpointDeclaration['access'], readonly ErrorCode[]>> = {
  open: [],
  key: ['missing_key', 'invalid_key', 'rate_limited'],
  admin: ['missing_key', 'invalid_key', 'rate_limited'],
};

const REQUEST_ID = { 'X-Request-Id': ANSWER_HEADERS['X-Request-Id'] };
const RETRY_AFTER = { 'Retry-After': ANSWER_HEADERS['Retry-After'] };

/** The error responses of an endpoint, by status. */
export function errorResponses(
  own: readonly ErrorCode[],
  access: EndpointDeclaration['access'],
): ZodOpenApiResponsesObject {
  const codes = new Set([...COMMON_ERRORS, ...ACCESS_ERRORS[access], ...own]);
  const statuses = [...new Set([...codes].map((code) => STATUS_BY_CODE[code]))];
  return Object.fromEntries(
    statuses.map((status) => {
      const of = [...codes].filter((code) => STATUS_BY_CODE[code] === status);
      return [`${status}`, errorResponse(status, of)];
    }),
  );
}

function errorResponse(status: number, codes: readonly ErrorCode[]): ZodOpenApiResponseObject {
  return {
    description: codes.map((code) => `\`${code}\``).join(', '),
    headers: z.object(status === 429 || status === 503 ? { ...REQUEST_ID, ...RETRY_AFTER } : REQUEST_ID),
    content: { [JSON_TYPE]: { schema: errorSchema } },
  };
}

/** A successful response with a JSON object. */
export const jsonResponse = (description: string, schema: z.ZodType): ZodOpenApiResponseObject => ({
  description,
  headers: z.object(REQUEST_ID),
  content: { [JSON_TYPE]: { schema } },
});

/** A request body with a JSON object. */
export const jsonBody = (schema: z.ZodType): ZodOpenApiRequestBodyObject => ({
  required: true,
  content: { [JSON_TYPE]: { schema } },
});

/** Name of the security scheme for each kind of access. */
export const SECURITY_SCHEMES = { key: 'apiKey', admin: 'adminToken' } as const;
