/**
 * Builds the declarations that the console makes its forms from: the API's parameters, without the parts that only the
 * documentation needs.
 */
import { z } from 'zod';
import { condition } from '../../engine/pipeline/conditions.ts';
import { STEP_PARAMS, STEPS, type StepOp } from '../../engine/steps/registry.ts';
import { STEP_GROUPS } from '../../engine/steps/step.ts';
import type { OpenApi, OpenApiPart } from '../http/openapi-document.ts';
import { FINDING_CODES, SEVERITIES } from '../sites/findings/finding.ts';
import { FINDING_TEXTS } from '../sites/package/finding-texts.ts';
import { scanSettingsSchema } from '../sites/settings.ts';
import type { Declarations, Operation, Parameter } from './declaration-types.ts';

export function buildDeclarations(document: OpenApi): Declarations {
  const paths = Object.entries(document.paths as Record<string, OpenApiPart>);
  return {
    operations: paths
      .filter(([, { post }]) => post?.tags.includes('Images'))
      .map(([path, { post }]) => toOperation(path, post)),
    steps: Object.entries(STEPS).map(([op, { label, isEncoding = false }]) => ({
      op,
      name: label.name,
      hint: label.hint,
      parameters: toParameters(STEP_PARAMS[op as StepOp]),
      isEncoding,
    })),
    stepGroups: STEP_GROUPS.map((title) => ({ title, ops: opsIn(title) })),
    conditions: conditionsOf(),
    // A copy without its OpenAPI id: with the id it would become a reference, and its fields could not be listed here.
    scanSettings: toParameters(z.strictObject(scanSettingsSchema.shape)),
    findings: FINDING_CODES.map((code) => ({ code, severity: SEVERITIES[code], ...FINDING_TEXTS[code] })),
  };
}

function opsIn(group: string): string[] {
  return Object.entries(STEPS)
    .filter(([, { label }]) => label.group === group)
    .toSorted(([, one], [, other]) => one.label.place - other.label.place)
    .map(([op]) => op);
}

function toOperation(path: string, { operationId, summary, description, ...operation }: OpenApiPart): Operation {
  const { image: _, ...parts } = operation.requestBody.content['multipart/form-data'].schema.properties;
  const { content, description: answer } = operation.responses['200'];
  return {
    id: operationId,
    path,
    summary,
    description,
    parameters: operation.parameters.map(({ name, schema, description }: OpenApiPart) =>
      toParameter(name, { description, ...schema }),
    ),
    parts: Object.entries<OpenApiPart>(parts).map(([name, part]) => ({ name, description: part.description })),
    answers: content['application/zip'] ? 'zip' : /image/i.test(answer) ? 'image' : 'record',
    needsModel: /`scope_required`/.test(operation.responses['403']?.description ?? ''),
  };
}

function toParameters(schema: z.ZodObject): Parameter[] {
  const { properties = {} } = z.toJSONSchema(schema, { io: 'input' });
  return Object.entries(properties).map(([name, property]) => toParameter(name, property));
}

/** Returns the fields of a step's condition, except `any` and `not`, which contain conditions themselves. */
function conditionsOf(): Parameter[] {
  // `condition` is nested in an object so that it becomes a definition.
  const { $defs } = z.toJSONSchema(z.object({ when: condition }), { io: 'input' });
  const { any: _, not: __, ...fields } = $defs!.Condition!.properties as Record<string, OpenApiPart>;
  return Object.entries(fields).map(([name, field]) => toParameter(name, field));
}

const COPIED_KEYWORDS = ['enum', 'default', 'minimum', 'maximum', 'minLength', 'maxLength', 'pattern'] as const;

function toParameter(name: string, { anyOf, ...outer }: OpenApiPart): Parameter {
  // A nullable parameter describes its value inside `anyOf`.
  const schema = { ...anyOf?.find(({ type }: OpenApiPart) => type !== 'null'), ...outer };
  const kept = COPIED_KEYWORDS.filter((key) => schema[key] !== undefined).map((key) => [key, schema[key]]);
  return {
    name,
    type: schema.type ?? 'string',
    ...(schema.items?.type ? { items: schema.items.type } : {}),
    description: schema.description ?? '',
    ...Object.fromEntries(kept),
    ...(schema.examples ? { example: schema.examples[0] } : {}),
    ...(schema['x-form'] ? { form: schema['x-form'] } : {}),
  };
}
