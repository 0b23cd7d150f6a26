/** Lists in tool results. They are short, because agents pay per token (docs/spec/shapes.md, section 18.1). */
import { z } from 'zod';
import { described } from '../base/described.ts';
import { pageFields } from '../base/paging.ts';

/** The arguments that select a part of a list. */
export const sliceFields = (mostItems = 200) => ({
  offset: described(z.int().min(0).default(0), 'Items left out at the beginning: next_offset of the call before.'),
  limit: z.int().min(1).max(mostItems).default(50).meta({ description: 'Most items of the answer.' }),
});

/** The result fields that describe a list's position. */
export const listFields = {
  ...pageFields,
  next_offset: z.int().nullable().meta({ description: 'Where the next call goes on; null at the end.' }),
};

export function listState(
  { offset, limit }: { offset: number; limit: number },
  total: number,
): z.output<z.ZodObject<typeof listFields>> {
  const next = offset + limit;
  return { total, limit, offset, next_offset: next < total ? next : null };
}

/**
 * The argument that selects the fields of list items.
 * @param names all field names
 */
export function fieldsArgument(names: readonly string[]) {
  return z
    .array(z.enum(names as [string, ...string[]]))
    .min(1)
    .optional()
    .meta({ description: 'Fields of each item beside seq. Default: all; the text has the main ones.' });
}

/** Reduces items to the requested fields. */
export function withFields<T extends { seq: number }>(items: T[], fields: readonly string[] | undefined): T[] {
  if (!fields) return items;
  const names = new Set(['seq', ...fields]);
  return items.map((item) => Object.fromEntries(Object.entries(item).filter(([name]) => names.has(name))) as T);
}

/**
 * Describes which part of a list the result contains.
 * @param heading name of the list
 */
export function listText(
  heading: string,
  { total, limit, offset, next_offset }: z.output<z.ZodObject<typeof listFields>>,
): string {
  const end = Math.min(offset + limit, total);
  const range = end <= offset ? 'none' : `${offset + 1} to ${end} of ${total}`;
  return `${heading}: ${range}.${next_offset === null ? '' : ` More with offset ${next_offset}.`}`;
}
