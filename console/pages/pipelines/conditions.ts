/**
 * Helpers to edit a step's condition. The form edits fields one by one, and `any` and `not` to a depth of one level.
 * Deeper conditions are edited as JSON.
 */
import type { Condition } from '../../../client/types.generated.ts';
import { declarations } from '../../declarations/declarations.ts';

/** Initial values of the fields that a user adds. */
const INITIAL_VALUES: Readonly<Record<string, unknown>> = {
  width: 1000,
  height: 1000,
  megapixels: 2,
  ratio: 1,
  bytes: 100_000,
  dpi: 150,
  format: ['jpeg'],
};
const GROUPS = ['any', 'not'];

/** @param isInner true if the condition is inside another one */
export function namesToAdd(condition: Condition, isInner: boolean): string[] {
  const names = declarations.conditions.map(({ name }) => name);
  return [...names, ...(isInner ? [] : GROUPS)].filter((name) => !Object.hasOwn(condition, name));
}

export function initialValue(name: string): unknown {
  const declared = declarations.conditions.find((condition) => condition.name === name);
  if (name === 'any') return [{ min_width: INITIAL_VALUES.width }];
  if (name === 'not') return { format: INITIAL_VALUES.format };
  if (declared?.type === 'boolean') return true;
  return INITIAL_VALUES[name.replace(/^(min|max|not)_/, '')] ?? declared?.enum?.[0];
}

/** Sets one field, or removes it if the value is undefined. Returns undefined when no field is left. */
export function withField(condition: Condition, name: string, value: unknown): Condition | undefined {
  const { [name as keyof Condition]: _, ...rest } = condition;
  const next = value === undefined ? rest : { ...condition, [name]: value };
  return Object.keys(next).length === 0 ? undefined : (next as Condition);
}

/** Returns whether the condition has fields only, without `any` or `not`. */
export const isFlat = (condition: unknown): boolean =>
  isObject(condition) && GROUPS.every((name) => !Object.hasOwn(condition, name));

/** Returns whether the form can show the shape of this value. The service validates the value itself. */
export function canShow(name: string, value: unknown): boolean {
  if (name === 'not') return isFlat(value);
  if (name === 'any') return Array.isArray(value) && value.every(isFlat);
  return declarations.conditions.some((declared) => declared.name === name) && !isObject(value);
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
