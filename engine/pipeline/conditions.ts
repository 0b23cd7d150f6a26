/** Conditions for steps (docs/spec/shapes.md, section 9.3): their declaration and evaluation. Main-thread safe. */
import { z } from 'zod';
import { FORMATS, type FormatId } from '../../codecs/formats/registry.ts';

const FORMAT_IDS = Object.keys(FORMATS) as [FormatId, ...FormatId[]];
/** Maximum formats in the list of one condition. More than there are formats, because one may be repeated. */
export const MAX_FORMATS = 500;
const inputFormat = z.enum(FORMAT_IDS).meta({ id: 'InputFormat' });
const formats = z.union([inputFormat, z.array(inputFormat).min(1).max(MAX_FORMATS)]);
const count = () => z.int().min(0);
const amount = () => z.number().min(0);

/** Maximum nesting depth of `any` and `not`. */
export const MAX_CONDITION_DEPTH = 5;

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

/** All given fields must hold. */
export type Condition = ConditionFields;

export const condition: z.ZodType<Condition> = z
  .strictObject({
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
    format: formats.optional(),
    not_format: formats.optional(),
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
  })
  .meta({
    id: 'Condition',
    description: `What must hold for a step to be done: all that is given. Sizes are those of the image before the step; format, bytes and metadata those of the source. any and not may stand inside each other ${MAX_CONDITION_DEPTH} deep.`,
  });

/** The facts that conditions test. */
export interface ConditionFacts {
  /** Of the image before the step. */
  width: number;
  height: number;
  /** Whether any pixel is transparent. */
  hasAlpha: boolean;
  /** Of the source. */
  bytes: number;
  format: FormatId;
  animated: boolean;
  hasGps: boolean;
  /** Dots per inch; undefined if none is recorded. */
  dpi: number | undefined;
}

/** How much the sides of a square may differ, as a share of the longer side. */
const SQUARE = 0.02;
const PIXELS_PER_MEGAPIXEL = 1_000_000;

function orientationOf({ width, height }: Pick<ConditionFacts, 'width' | 'height'>): Condition['orientation'] {
  if (Math.abs(width - height) <= SQUARE * Math.max(width, height)) return 'square';
  return width > height ? 'landscape' : 'portrait';
}

/** Whether a value is within the given bounds. An unknown value is not. */
function within(value: number | undefined, min: number | undefined, max: number | undefined): boolean {
  if (min === undefined && max === undefined) return true;
  return value !== undefined && value >= (min ?? 0) && value <= (max ?? Infinity);
}

const isOneOf = (format: FormatId, wanted: FormatId | FormatId[]) => [wanted].flat().includes(format);

/** Whether all fields of a condition hold. */
export function holds(condition: Condition, facts: ConditionFacts): boolean {
  const { width, height, format } = facts;
  return (
    within(width, condition.min_width, condition.max_width) &&
    within(height, condition.min_height, condition.max_height) &&
    within((width * height) / PIXELS_PER_MEGAPIXEL, condition.min_megapixels, condition.max_megapixels) &&
    within(width / height, condition.min_ratio, condition.max_ratio) &&
    within(facts.bytes, condition.min_bytes, condition.max_bytes) &&
    within(facts.dpi, condition.min_dpi, condition.max_dpi) &&
    (condition.orientation === undefined || condition.orientation === orientationOf(facts)) &&
    (condition.format === undefined || isOneOf(format, condition.format)) &&
    (condition.not_format === undefined || !isOneOf(format, condition.not_format)) &&
    (condition.has_alpha === undefined || condition.has_alpha === facts.hasAlpha) &&
    (condition.animated === undefined || condition.animated === facts.animated) &&
    (condition.has_gps === undefined || condition.has_gps === facts.hasGps) &&
    (condition.any === undefined || condition.any.some((one) => holds(one, facts))) &&
    (condition.not === undefined || !holds(condition.not, facts))
  );
}

/** Whether a condition, or one nested in it, uses this field. */
export function usesField(condition: Condition, key: keyof Condition): boolean {
  return (
    condition[key] !== undefined ||
    (condition.any?.some((one) => usesField(one, key)) ?? false) ||
    (condition.not !== undefined && usesField(condition.not, key))
  );
}
