/** Lists that can grow are returned in pages (docs/spec/shapes.md, section 3). */
import { z } from 'zod';
import { described } from './described.ts';

const MAX_LIMIT = 500;

const paramsWithLimit = (limit: number) =>
  z.strictObject({
    limit: described(z.int().min(1).max(MAX_LIMIT).default(limit), 'Most items of the answer.', 50),
    offset: described(z.int().min(0).default(0), 'Items left out at the beginning.', 0),
  });

/** Query parameters of a paged list. */
export const pageParams = paramsWithLimit(50);

/** Query parameters of a list whose clients expect all of it. Lists of usual length fit in one page. */
export const longPageParams = paramsWithLimit(MAX_LIMIT);

/** The requested part of a list. */
export type Page = z.output<typeof pageParams>;

/** The fields of the response in addition to the items. */
export const pageFields = {
  total: described(z.int().min(0), 'Items that there are.', 1),
  limit: z
    .int()
    .min(1)
    .meta({ examples: [50] }),
  offset: z
    .int()
    .min(0)
    .meta({ examples: [0] }),
};
