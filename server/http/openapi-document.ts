/** The types of an OpenAPI document, and functions that map its operations and their parts. */
import type { createDocument } from 'zod-openapi';

export type OpenApi = ReturnType<typeof createDocument>;

/** A part of the document, for readers of it. */
// biome-ignore lint/suspicious/noExplicitAny: the types of OpenAPI allow a reference at every place
export type OpenApiPart = any;

/** Kinds of parts that an operation has, and that components can hold. Schemas are those of the properties of a body. */
export type PartKind = 'headers' | 'parameters' | 'requestBodies' | 'responses' | 'schemas';

/** Returns what stands in place of a part. */
export type MapPart = (part: OpenApiPart, name: string, kind: PartKind) => OpenApiPart;

export function mapOperations(document: OpenApi, map: (operation: OpenApiPart) => OpenApiPart): OpenApi {
  const paths = mapValues(document.paths!, (methods) => mapValues(methods, map));
  return { ...document, paths } as OpenApi;
}

/**
 * Maps the parts of an operation, by kind. The headers of a response are mapped before the response, and the properties of
 * a body before the body.
 */
export function mapParts(operation: OpenApiPart, maps: Partial<Record<PartKind, MapPart>>): OpenApiPart {
  const map = (kind: PartKind, part: OpenApiPart, name: string) => maps[kind]?.(part, name, kind) ?? part;
  const { parameters, requestBody, responses } = operation;
  return {
    ...operation,
    ...(requestBody && { requestBody: mapBody(requestBody, maps, operation.operationId) }),
    ...(parameters && { parameters: parameters.map((part: OpenApiPart) => map('parameters', part, part.name)) }),
    responses: mapValues(responses, (response, status) => {
      const { headers } = response;
      const own = headers && { headers: mapValues(headers, (header, name) => map('headers', header, name)) };
      return map('responses', { ...response, ...own }, status);
    }),
  };
}

function mapBody(
  body: OpenApiPart,
  { schemas, requestBodies }: Partial<Record<PartKind, MapPart>>,
  operationId: string,
): OpenApiPart {
  // A reference has no properties.
  const mapped = schemas && body.content ? mapProperties(body, schemas) : body;
  return requestBodies?.(mapped, operationId, 'requestBodies') ?? mapped;
}

/** Maps the schemas of the properties of a request body. */
function mapProperties(body: OpenApiPart, map: MapPart): OpenApiPart {
  const ofSchema = ({ properties, ...schema }: OpenApiPart) => ({
    ...schema,
    ...(properties && { properties: mapValues(properties, (property, name) => map(property, name, 'schemas')) }),
  });
  return {
    ...body,
    content: mapValues(body.content, ({ schema, ...type }) => ({
      ...type,
      ...(schema && { schema: ofSchema(schema) }),
    })),
  };
}

const mapValues = (
  record: OpenApiPart,
  map: (value: OpenApiPart, key: string) => OpenApiPart,
): Record<string, OpenApiPart> =>
  Object.fromEntries(Object.entries<OpenApiPart>(record).map(([key, value]) => [key, map(value, key)]));
