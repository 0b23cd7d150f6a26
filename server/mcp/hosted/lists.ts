/** Lists in the results of tools: short, because an agent pays for every word (spec/shapes.md, section 18.1). */
import { z } from 'zod';
import { pageFields } from '../../http/paging.ts';

/** The arguments that choose a part of a list. */
export function sliceFields(mostItems = 200) {
  return {
    offset: z
      .int()
      .min(0)
      .default(0)
      .meta({ description: 'Items left out at the beginning: next_offset of the call before.' }),
    limit: z.int().min(1).max(mostItems).default(50).meta({ description: 'Most items of the answer.' }),
  };
}

/** What a result says of its list. */
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
 * A list as text.
 * @param heading what it is a list of
 */
export function listText(
  heading: string,
  lines: readonly string[],
  { total, offset, next_offset }: z.output<z.ZodObject<typeof listFields>>,
): string {
  const range = lines.length === 0 ? 'none' : `${offset + 1} to ${offset + lines.length} of ${total}`;
  const more = next_offset === null ? '' : ` More with offset ${next_offset}.`;
  return [`${heading}: ${range}.${more}`, ...lines].join('\n');
}
