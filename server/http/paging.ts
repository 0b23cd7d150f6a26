/** Lists that can grow are answered in pages (spec/shapes.md, section 3). */
import { z } from 'zod';

/** Query parameters of such a list. */
export const pageParams = z.strictObject({
  limit: z
    .int()
    .min(1)
    .max(500)
    .default(50)
    .meta({ description: 'Most items of the answer.', examples: [50] }),
  offset: z
    .int()
    .min(0)
    .default(0)
    .meta({ description: 'Items left out at the beginning.', examples: [0] }),
});

/** The fields of its answer beside the items. */
export const pageFields = {
  total: z
    .int()
    .min(0)
    .meta({ description: 'Items that there are.', examples: [1] }),
  limit: z
    .int()
    .min(1)
    .meta({ examples: [50] }),
  offset: z
    .int()
    .min(0)
    .meta({ examples: [0] }),
};
