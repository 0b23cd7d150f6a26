/** The schemas of a tool as JSON Schema, for clients. */
import { z } from 'zod';
import { isObject } from '../../base/object.ts';
import { type AnyTool, CONTRACT_VERSION, toolError } from './tool.ts';

type JsonObject = Record<string, unknown>;

/** The root is always an object (MCP, "Tool"). */
export interface ObjectSchema extends JsonObject {
  type: 'object';
  properties: Record<string, JsonObject>;
  required?: string[];
}

/** Of the arguments. Nothing but what it names is accepted. */
export function inputSchema({ input }: AnyTool<never>): ObjectSchema {
  return { ...written(input, 'input', isOurs), additionalProperties: false };
}

/**
 * Of the structured result: what the tool declares, or an error, which clients check against the same schema. Fields are
 * added within a version, so that none of its objects is closed. A list of tools is read by a model before every talk, so
 * records of the REST interface are named rather than repeated: with them the list took 70 kB.
 */
export function outputSchema({ output }: AnyTool<never>): ObjectSchema {
  const {
    $defs,
    properties,
    required = [],
    ...schema
  } = written(output, 'output', (key) => isOurs(key) || DETAILS.has(key));
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

/** Of results: bounds that hold anyway, and examples of what the result itself shows. */
const DETAILS: ReadonlySet<string> = new Set([
  'additionalProperties',
  'examples',
  'minimum',
  'maximum',
  'format',
  'pattern',
]);

/** @param from the schema that may refer to them; what only they refer to goes with them */
function namedRecords(records: JsonObject, from: string): JsonObject {
  const named = Object.entries(records).filter(([id]) => from.includes(`"#/$defs/${id}"`));
  return Object.fromEntries(
    named.map(([id, record]) => {
      const { description = `${id} in /openapi.json` } = record as JsonObject;
      return [id, { type: 'object', description }];
    }),
  );
}

/** Says more to this service than to anybody else. */
const isOurs = (key: string) => key === 'x-form';

/** @param leavesOut what no client has a use for */
function written(schema: z.ZodObject, io: 'input' | 'output', leavesOut: (key: string, value: unknown) => boolean) {
  const { $schema: _dialect, ...json } = z.toJSONSchema(schema, {
    io,
    override: ({ jsonSchema }) => {
      const fields = jsonSchema as JsonObject;
      for (const [key, value] of Object.entries(fields)) if (leavesOut(key, value)) delete fields[key];
      // What an integer of JavaScript can be at all is no bound.
      if (fields.minimum === Number.MIN_SAFE_INTEGER) delete fields.minimum;
      if (fields.maximum === Number.MAX_SAFE_INTEGER) delete fields.maximum;
    },
  });
  return json as ObjectSchema;
}
