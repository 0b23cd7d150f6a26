/**
 * Faults of the places that name an image, as SQL: one declaration finds them for images and for pages. The names are codes
 * of findings (spec/shapes.md, section 16.5). In the expressions `r` is the reference, `a` its asset, `s` its source.
 */
import { type RawBuilder, sql } from 'kysely';
import { rolesThatAre } from '../../base/reference-roles.ts';

const LOADED_ROLES = rolesThatAre('shown', 'loaded');

/** A browser loads the image to show the page. */
export const isLoaded: RawBuilder<number> = sql`(r.role in (${sql.join(LOADED_ROLES.map((role) => sql.lit(role)))}))`;

/** The number of the first image of a page that is believed to lie below what a visitor sees at first. */
export const FIRST_LATE_IMAGE = 6;

const FAULTS = {
  mixed_content: sql`${isLoaded} and s.url like 'https:%' and a.url like 'http:%'`,
  missing_srcset: sql`a.kind = 'raster' and a.width > 1000 and r.candidates = 1 and r.role in ('img_src', 'amp_img')`,
  missing_dimensions: sql`r.lacks_dimensions = 1 and r.in_noscript = 0`,
  missing_lazy: sql`r.image_number >= ${sql.lit(FIRST_LATE_IMAGE)} and r.lazy = 0 and r.tag = 'img'`,
  lazy_first: sql`r.lazy = 1 and (r.image_number <= 2 or r.preloaded = 1)`,
  missing_alt: sql`r.lacks_alt = 1 and r.in_noscript = 0`,
  upscaled: sql`a.kind in ('raster', 'animation') and r.candidates = 1 and r.displayed_source in ('attribute', 'style', 'rendered')
    and (r.displayed_width > a.width or r.displayed_height > a.height)`,
} as const;

export type ReferenceFault = keyof typeof FAULTS;
export const REFERENCE_FAULTS = Object.keys(FAULTS) as readonly ReferenceFault[];

/** A number with the bit of each fault that holds: bit 0 for the first of {@link REFERENCE_FAULTS}. */
export const faultBits: RawBuilder<number> = sql`(${sql.join(
  // What compares with nothing is nothing, and would make nothing of the whole.
  Object.values(FAULTS).map((holds, bit) => sql`coalesce(${holds}, 0) * ${sql.lit(1 << bit)}`),
  sql` + `,
)})`;

/** The faults whose bits are set. */
export function faultsIn(bits: number): ReferenceFault[] {
  return REFERENCE_FAULTS.filter((_, bit) => (bits & (1 << bit)) !== 0);
}
