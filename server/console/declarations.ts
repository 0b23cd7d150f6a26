/**
 * Builds the declarations that the console makes its forms from: the API's parameters, without the parts that only the
 * documentation needs.
 */
import { z } from 'zod';
import { meterOf } from '../../engine/operations/definition.ts';
import { OPERATIONS, type Operation as RegisteredOperation } from '../../engine/operations/registry.ts';
import { condition } from '../../engine/pipeline/conditions.ts';
import { OUTCOMES, WARNINGS } from '../../engine/result.ts';
import { STEP_PARAMS, STEPS, type StepOp } from '../../engine/steps/registry.ts';
import { STEP_GROUPS } from '../../engine/steps/step.ts';
import type { OpenApi, OpenApiPart } from '../http/openapi-document.ts';
import { operationPath } from '../images/operation-endpoint.ts';
import { FINDING_CODES, SEVERITIES } from '../sites/findings/finding.ts';
import { FINDING_TEXTS } from '../sites/package/finding-texts.ts';
import { scanSettingsSchema } from '../sites/settings.ts';
import type { Declarations, Operation, Parameter } from './declaration-types.ts';

export function buildDeclarations(document: OpenApi): Declarations {
  return {
    operations: OPERATIONS.map((operation) => toOperation(operation, document)),
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
    outcomes: OUTCOMES,
    warnings: WARNINGS,
  };
}

const opsIn = (group: string): string[] =>
  Object.entries(STEPS)
    .filter(([, { label }]) => label.group === group)
    .toSorted(([, one], [, other]) => one.label.place - other.label.place)
    .map(([op]) => op);

function toOperation(definition: RegisteredOperation, { paths }: OpenApi): Operation {
  const { name: id, title, hint, groups, output, agentTools = [] } = definition;
  const path = operationPath(definition);
  const { post } = (paths as Record<string, OpenApiPart>)[path]!;
  const { image: _, ...parts } = post.requestBody.content['multipart/form-data'].schema.properties;
  return {
    id,
    path,
    title,
    hint,
    parameters: post.parameters.map(({ name, schema, description }: OpenApiPart) =>
      toParameter(name, { description, ...schema }),
    ),
    groups: groups.map(({ title, isOpen = false, parameters }) => ({ title, isOpen, parameters })),
    agentTools: agentTools.map(({ name, params, needs }) => ({
      name,
      takes: Object.keys(params.shape),
      ...(needs === undefined ? {} : { needs }),
    })),
    parts: Object.entries<OpenApiPart>(parts).map(([name, part]) => ({ name, description: part.description })),
    answers: output.kind,
    needsModel: meterOf(definition, definition.params.parse({})) === 'ai',
  };
}

function toParameters(schema: z.ZodObject): Parameter[] {
  const { properties = {} } = z.toJSONSchema(schema, { io: 'input' });
  return Object.entries(properties).map(([name, property]) => toParameter(name, property));
}

/** Returns the fields of a step's condition, except `any` and `not`, which contain conditions themselves. */
function conditionsOf(): Parameter[] {
  // `condition` is nested in an object so that it becomes a definition.
  const { $defs = {} } = z.toJSONSchema(z.object({ when: condition }), { io: 'input' });
  const { any: _, not: __, ...fields } = $defs.Condition!.properties as Record<string, OpenApiPart>;
  const resolved = ({ $ref, ...own }: OpenApiPart): OpenApiPart => ({ ...$defs[$ref?.split('/').at(-1)], ...own });
  return Object.entries(fields).map(([name, { anyOf, ...field }]) =>
    toParameter(name, { ...field, anyOf: anyOf?.map(resolved) }),
  );
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
