/**
 * The faults of the places that name an image, as SQL, so that images and pages use the same definitions. In the
 * expressions, `r` is the reference, `a` its asset and `s` its source.
 */

import { type RawBuilder, sql } from 'kysely';
import { rolesWithUse } from '../../../base/reference-roles.ts';
import { FIRST_BELOW_FOLD_IMAGE, REFERENCE_FAULTS, type ReferenceFault } from '../../records/site-reference-faults.ts';

const LOADED_ROLES = rolesWithUse('shown', 'loaded');

/** True when a browser loads the image to show the page. */
export const isLoaded: RawBuilder<number> = sql`(r.role in (${sql.join(LOADED_ROLES.map((role) => sql.lit(role)))}))`;

const FAULTS: Readonly<Record<ReferenceFault, RawBuilder<unknown>>> = {
  mixed_content: sql`${isLoaded} and s.url like 'https:%' and a.url like 'http:%'`,
  missing_srcset: sql`a.kind = 'raster' and a.width > 1000 and r.candidates = 1 and r.role in ('img_src', 'amp_img')`,
  missing_dimensions: sql`r.lacks_dimensions = 1 and r.in_noscript = 0`,
  missing_lazy: sql`r.image_number >= ${sql.lit(FIRST_BELOW_FOLD_IMAGE)} and r.lazy = 0 and r.tag = 'img'`,
  lazy_first: sql`r.lazy = 1 and (r.image_number <= 2 or r.preloaded = 1)`,
  missing_alt: sql`r.lacks_alt = 1 and r.in_noscript = 0`,
  upscaled: sql`a.kind in ('raster', 'animation') and r.candidates = 1 and r.displayed_source in ('attribute', 'style', 'rendered')
    and (r.displayed_width > a.width or r.displayed_height > a.height)`,
};

/** A bit set of faults, as `faultsIn` reads it. */
export const faultBits: RawBuilder<number> = sql`(${sql.join(
  // A comparison with null is null, which counts as false here.
  REFERENCE_FAULTS.map((fault, bit) => sql`case when ${FAULTS[fault]} then ${sql.lit(1 << bit)} else 0 end`),
  sql` + `,
)})`;
