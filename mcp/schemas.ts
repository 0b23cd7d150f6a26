/** Converts the schemas of a tool to JSON Schema for clients. */
import type { JSONObject as JsonObject } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { isObject } from '../base/object.ts';
import { type AnyTool, CONTRACT_VERSION, toolError } from './tool.ts';

/** The root of a tool schema is always an object (MCP, "Tool"). */
export interface ObjectSchema extends JsonObject {
  type: 'object';
  properties: Record<string, JsonObject>;
  required?: string[];
}

/** JSON Schema of the arguments. Unknown arguments are refused. */
export const inputSchema = ({ input }: AnyTool<never>): ObjectSchema => ({
  ...toJsonSchema(input, 'input', isInternalKeyword),
  additionalProperties: false,
});

/**
 * JSON Schema of the structured result or of an error, since clients check both against it. Objects are not closed,
 * because fields may be added within a version. A model reads the tool list before every conversation, so records of
 * the REST API are referred to by name: with the full records the list took 70 kB.
 */
export function outputSchema({ output }: AnyTool<never>): ObjectSchema {
  const {
    $defs,
    properties,
    required = [],
    ...schema
  } = toJsonSchema(output, 'output', (key) => isInternalKeyword(key) || OMITTED_KEYWORDS.has(key));
  return {
    ...schema,
    ...(isObject($defs) && { $defs: namedRecords($defs, JSON.stringify(properties)) }),
    type: 'object',
    properties: {
      contract_version: { type: 'integer', const: CONTRACT_VERSION },
      ...properties,
      error: { type: 'object', required: Object.keys(toolError.shape) },
    },
    required: ['contract_version'],
    anyOf: [{ required }, { required: ['error'] }],
  };
}

/** Keywords that are left out of result schemas: limits that always hold, and examples. */
const OMITTED_KEYWORDS: ReadonlySet<string> = new Set([
  'additionalProperties',
  'examples',
  'minimum',
  'maximum',
  'format',
  'pattern',
]);

/** @param from schema that may refer to the records; records that only other records refer to are left out */
function namedRecords(records: JsonObject, from: string): JsonObject {
  const named = Object.entries(records).filter(([id]) => from.includes(`"#/$defs/${id}"`));
  return Object.fromEntries(
    named.map(([id, record]) => {
      const { description = `${id} in /openapi.json` } = record as JsonObject;
      return [id, { type: 'object', description }];
    }),
  );
}

/** Whether a keyword has a meaning only for this service. */
const isInternalKeyword = (key: string) => key.startsWith('x-');

/** @param leavesOut whether to leave out a keyword that clients do not need */
function toJsonSchema(
  schema: z.ZodObject,
  io: 'input' | 'output',
  leavesOut: (key: string, value: unknown) => boolean,
) {
  const { $schema: _dialect, ...json } = z.toJSONSchema(schema, {
    io,
    override: ({ jsonSchema }) => {
      const fields = jsonSchema as JsonObject;
      for (const [key, value] of Object.entries(fields)) if (leavesOut(key, value)) delete fields[key];
      // Drop limits that only state the range of JavaScript integers.
      if (fields.minimum === Number.MIN_SAFE_INTEGER) delete fields.minimum;
      if (fields.maximum === Number.MAX_SAFE_INTEGER) delete fields.maximum;
    },
  });
  return json as ObjectSchema;
}
