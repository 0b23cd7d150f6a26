/** Parses the field `outputs` of a pipeline (docs/spec/shapes.md, section 9.8). */
import type { z } from 'zod';
import { isObject } from '../../base/object.ts';
import { describeExpectation, type ParameterSchema, parameterSchema } from '../../base/parameter-schema.ts';
import { invalidValue, unknownField } from './errors.ts';
import { type Outputs, outputsSchema } from './outputs.ts';

interface ListSchema extends ParameterSchema {
  minItems: number;
  maxItems: number;
}

const { widths, formats, quality, mode } = outputsSchema.shape;
const FIELDS = Object.keys(outputsSchema.shape);
const [ONE_QUALITY] = quality.unwrap().options;

/**
 * Checks the widths and formats of several results.
 * @throws Failure `invalid_pipeline`, whose `param` is the path of the invalid value, such as `outputs.widths[0]`
 */
export function parseOutputs(value: unknown): Outputs {
  if (!isObject(value)) throw invalidValue('an object with widths and formats', 'outputs', value);
  const unknown = Object.keys(value).find((name) => !FIELDS.includes(name));
  if (unknown !== undefined) throw unknownField(FIELDS, 'outputs', unknown);
  checkList(widths, value.widths, 'outputs.widths');
  checkList(formats, value.formats, 'outputs.formats');
  if (isObject(value.quality)) checkQualities(value.quality, value.formats as string[]);
  else if (value.quality !== undefined) check(ONE_QUALITY, value.quality, 'outputs.quality');
  if (value.mode !== undefined) check(mode.unwrap(), value.mode, 'outputs.mode');
  return outputsSchema.parse(value);
}

function check(schema: z.ZodType, value: unknown, at: string): void {
  if (!schema.safeParse(value).success) throw invalidValue(describeExpectation(parameterSchema(schema)), at, value);
}

function checkList(schema: z.ZodArray<z.ZodType>, value: unknown, at: string): void {
  const { minItems, maxItems } = parameterSchema(schema) as ListSchema;
  if (!Array.isArray(value) || value.length < minItems || value.length > maxItems)
    throw invalidValue(`a list of ${minItems} to ${maxItems} values`, at, value);
  for (const [index, item] of value.entries()) {
    check(schema.element, item, `${at}[${index}]`);
    if (value.indexOf(item) !== index) throw invalidValue('a value that is listed once', `${at}[${index}]`, item);
  }
}

function checkQualities(qualities: Readonly<Record<string, unknown>>, named: readonly string[]): void {
  for (const [format, value] of Object.entries(qualities)) {
    if (!named.includes(format)) throw unknownField(named, 'outputs.quality', format);
    check(ONE_QUALITY, value, `outputs.quality.${format}`);
  }
}
