/** When a step is done (spec/shapes.md, section 9.3): the declaration of conditions and whether one holds. Main-thread safe. */
import { z } from 'zod';
import { FORMATS, type FormatId } from '../../codecs/formats.ts';

const FORMAT_IDS = Object.keys(FORMATS) as [FormatId, ...FormatId[]];
const formats = () => z.union([z.enum(FORMAT_IDS), z.array(z.enum(FORMAT_IDS)).min(1)]);
const count = () => z.int().min(0);
const amount = () => z.number().min(0);

/** How deep `any` and `not` may be nested. */
export const DEEPEST_CONDITION = 5;

interface ConditionFields {
  min_width?: number | undefined;
  max_width?: number | undefined;
  min_height?: number | undefined;
  max_height?: number | undefined;
  min_megapixels?: number | undefined;
  max_megapixels?: number | undefined;
  min_ratio?: number | undefined;
  max_ratio?: number | undefined;
  orientation?: 'landscape' | 'portrait' | 'square' | undefined;
  min_bytes?: number | undefined;
  max_bytes?: number | undefined;
  format?: FormatId | FormatId[] | undefined;
  not_format?: FormatId | FormatId[] | undefined;
  has_alpha?: boolean | undefined;
  animated?: boolean | undefined;
  has_gps?: boolean | undefined;
  min_dpi?: number | undefined;
  max_dpi?: number | undefined;
  any?: Condition[] | undefined;
  not?: Condition | undefined;
}

/** All that are given must hold. */
export type Condition = ConditionFields;

export const condition: z.ZodType<Condition> = z.strictObject({
  min_width: count().optional(),
  max_width: count().optional(),
  min_height: count().optional(),
  max_height: count().optional(),
  min_megapixels: amount().optional(),
  max_megapixels: amount().optional(),
  min_ratio: amount().optional(),
  max_ratio: amount().optional(),
  orientation: z.enum(['landscape', 'portrait', 'square']).optional(),
  min_bytes: count().optional(),
  max_bytes: count().optional(),
  format: formats().optional(),
  not_format: formats().optional(),
  has_alpha: z.boolean().optional(),
  animated: z.boolean().optional(),
  has_gps: z.boolean().optional(),
  min_dpi: count().optional(),
  max_dpi: count().optional(),
  get any() {
    return z.array(condition).min(1).max(20).optional();
  },
  get not() {
    return condition.optional();
  },
});
