/** The schemas of a tool as JSON Schema, for clients. */
import { z } from 'zod';
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
 * added within a version, so that none of its objects is closed.
 */
export function outputSchema({ output }: AnyTool<never>): ObjectSchema {
  const {
    properties,
    required = [],
    ...schema
  } = written(output, 'output', (key, value) => {
    return isOurs(key) || (key === 'additionalProperties' && value === false);
  });
  return {
    ...schema,
    type: 'object',
    properties: {
      contract_version: { type: 'integer', const: CONTRACT_VERSION },
      ...properties,
      error: written(toolError, 'input', isOurs),
    },
    required: ['contract_version'],
    anyOf: [{ required }, { required: ['error'] }],
  };
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
