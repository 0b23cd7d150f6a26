/** The types of an OpenAPI document, and functions that map its operations and their parts. */
import type { createDocument } from 'zod-openapi';

export type OpenApi = ReturnType<typeof createDocument>;

/** A part of the document, for readers of it. */
// biome-ignore lint/suspicious/noExplicitAny: the types of OpenAPI allow a reference at every place
export type OpenApiPart = any;

/** Kinds of parts that an operation has, and that components can hold. Schemas are those of properties. */
export type PartKind = 'headers' | 'parameters' | 'requestBodies' | 'responses' | 'schemas';

/** Returns what stands in place of a part. */
export type MapPart = (part: OpenApiPart, name: string, kind: PartKind) => OpenApiPart;

export function mapOperations(document: OpenApi, map: (operation: OpenApiPart) => OpenApiPart): OpenApi {
  const paths = mapValues(document.paths!, (methods) => mapValues(methods, map));
  return { ...document, paths } as OpenApi;
}

/**
 * Maps the parts of an operation, by kind. The headers and properties of a response are mapped before the response, and
 * the properties of a body before the body.
 */
export function mapParts(operation: OpenApiPart, maps: Partial<Record<PartKind, MapPart>>): OpenApiPart {
  const map = (kind: PartKind, part: OpenApiPart, name: string) => maps[kind]?.(part, name, kind) ?? part;
  const { parameters, requestBody, responses } = operation;
  return {
    ...operation,
    ...(requestBody && {
      requestBody: map('requestBodies', withProperties(requestBody, maps), operation.operationId),
    }),
    ...(parameters && { parameters: parameters.map((part: OpenApiPart) => map('parameters', part, part.name)) }),
    responses: mapValues(responses, (response, status) => {
      const { headers } = response;
      const own = headers && { headers: mapValues(headers, (header, name) => map('headers', header, name)) };
      return map('responses', { ...withProperties(response, maps), ...own }, status);
    }),
  };
}

/** Maps the properties in the schemas of a body or a response. */
const withProperties = (part: OpenApiPart, { schemas }: Partial<Record<PartKind, MapPart>>): OpenApiPart =>
  // A reference has no content.
  schemas && part.content ? { ...part, content: mapLeaves(part.content, schemas) } : part;

/** Maps the properties of all objects in a schema that contain no object. */
export function mapLeaves(schema: OpenApiPart, map: MapPart): OpenApiPart {
  if (Array.isArray(schema)) return schema.map((part) => mapLeaves(part, map));
  if (typeof schema !== 'object' || schema === null) return schema;
  return mapValues(schema, (part, key) =>
    key === 'properties' && !Array.isArray(part)
      ? mapValues(part, (property, name) =>
          hasObject(property) ? mapLeaves(property, map) : map(property, name, 'schemas'),
        )
      : mapLeaves(part, map),
  );
}

const hasObject = (schema: OpenApiPart): boolean =>
  typeof schema === 'object' &&
  schema !== null &&
  ('properties' in schema || Object.values<OpenApiPart>(schema).some(hasObject));

const mapValues = (
  record: OpenApiPart,
  map: (value: OpenApiPart, key: string) => OpenApiPart,
): Record<string, OpenApiPart> =>
  Object.fromEntries(Object.entries<OpenApiPart>(record).map(([key, value]) => [key, map(value, key)]));
