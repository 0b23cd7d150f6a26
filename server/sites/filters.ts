/** Filters of the lists of pages and images (docs/spec/shapes.md, section 17.9). */
import { z } from 'zod';
import { described } from '../../base/described.ts';
import { invalidParameter } from '../../base/failure.ts';
import { pageParams } from '../../base/paging.ts';
import { createDecoder } from '../../base/parameter-decoder.ts';
import {
  ASSET_SORTS,
  type AssetFilter,
  type AssetSort,
  PAGE_SORTS,
  type PageFilter,
  type PageSort,
  type Slice,
} from '../../storage/ports/site-inventory.ts';
import { ASSET_KINDS, ASSET_STATUSES } from '../../storage/records/site-assets.ts';
import { PAGE_STATUSES } from '../../storage/records/site-pages.ts';
import type { Context } from '../http/context.ts';
import { readQuery } from '../http/query.ts';
import { FINDING_CODES } from './findings/finding.ts';
import { ATTENTION, OPTIMIZATIONS } from './records/page.ts';

const ANY_OR_NONE = ['any', 'none'] as const;

const list = (values: readonly string[], what: string) =>
  described(z.string().optional(), `${what}, separated by commas: ${values.join(', ')}.`, values[0]);
const text = (description: string) => described(z.string().min(1).max(200).optional(), description, 'blog');
const leastSavings = described(z.int().min(0).optional(), 'Least bytes saved.', 4096);

const sorted = <T extends string>(fields: readonly [T, ...T[]], first: T | `-${T}`) =>
  z
    .enum([...fields, ...fields.map((field) => `-${field}` as const)] as [T | `-${T}`, ...(T | `-${T}`)[]])
    .default(first as never)
    .meta({ description: 'Field to sort by; with - before it the largest first.' });

export const pageFilters = z.strictObject({
  status: list(PAGE_STATUSES, 'Statuses'),
  over_limit: z.boolean().optional().meta({ description: 'Found beyond the limit.' }),
  q: text('Part of the address or the title.'),
  attention: described(z.enum([...ANY_OR_NONE, ...ATTENTION]).optional(), 'What needs a look.'),
  optimization: z.enum(OPTIMIZATIONS).optional(),
  min_savings: leastSavings,
  sort: sorted(PAGE_SORTS, 'seq'),
  ...pageParams.shape,
});

export const assetFilters = z.strictObject({
  kind: list(ASSET_KINDS, 'Kinds'),
  status: list(ASSET_STATUSES, 'Statuses'),
  issue: list([...ANY_OR_NONE, ...FINDING_CODES], 'any, none, or codes of findings'),
  page: described(z.int().min(1).optional(), 'Number of a page that uses it.', 1),
  q: text('Part of the address.'),
  min_savings: leastSavings,
  mapped: z.boolean().optional().meta({ description: 'Has a line in the replacement map.' }),
  sort: sorted(ASSET_SORTS, '-bytes_saved'),
  ...pageParams.shape,
});

const pageDecoder = createDecoder(pageFilters);
const assetDecoder = createDecoder(assetFilters);

/** @throws Failure 400 `invalid_parameter` */
export const readPageFilters = (ctx: Context): PageSelection => selectPages(readQuery(ctx, pageDecoder));

export interface PageSelection {
  filter: PageFilter;
  slice: Slice<PageSort>;
}

/** @throws Failure 400 `invalid_parameter` */
export function selectPages(query: z.output<typeof pageFilters>): PageSelection {
  const { status, over_limit, q, attention, optimization, min_savings } = query;
  const filter = {
    statuses: itemsOf(status, PAGE_STATUSES, 'status'),
    overLimit: over_limit,
    text: q,
    attention: attention === 'any' ? true : attention === 'none' ? false : attention,
    optimization,
    minSavings: min_savings,
  };
  return { filter: definedOnly(filter), slice: sliceOf(query) };
}

/** @throws Failure 400 `invalid_parameter` */
export const readAssetFilters = (ctx: Context): AssetSelection => selectAssets(readQuery(ctx, assetDecoder));

export interface AssetSelection {
  filter: AssetFilter;
  slice: Slice<AssetSort>;
}

/**
 * Reads the filters of a list of images.
 * @param issueParam the name of the `issue` parameter in this request, for error messages
 * @throws Failure 400 `invalid_parameter`
 */
export function selectAssets(query: z.output<typeof assetFilters>, issueParam = 'issue'): AssetSelection {
  const { kind, status, issue, page, q, min_savings, mapped } = query;
  const filter = {
    kinds: itemsOf(kind, ASSET_KINDS, 'kind'),
    statuses: itemsOf(status, ASSET_STATUSES, 'status'),
    issues: issue === 'any' ? true : issue === 'none' ? false : itemsOf(issue, FINDING_CODES, issueParam),
    page,
    text: q,
    minSavings: min_savings,
    mapped,
  };
  return { filter: definedOnly(filter), slice: sliceOf(query) };
}

function itemsOf<const T extends string>(
  text: string | undefined,
  values: readonly T[],
  param: string,
): readonly T[] | undefined {
  const isKnown = (item: string): item is T => (values as readonly string[]).includes(item);
  const items = text?.split(',');
  if (items && !items.every(isKnown)) throw invalidParameter(`a list of ${values.join(', ')}`, param, text);
  return items as readonly T[] | undefined;
}

function sliceOf<S extends string>({
  sort,
  offset,
  limit,
}: {
  sort: S | `-${S}`;
  offset: number;
  limit: number;
}): Slice<S> {
  const descending = sort.startsWith('-');
  return { sort: { by: (descending ? sort.slice(1) : sort) as S, descending }, offset, limit };
}

/** Removes the properties whose value is undefined. */
const definedOnly = <T extends object>(filter: T): { [K in keyof T]?: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined)) as never;
