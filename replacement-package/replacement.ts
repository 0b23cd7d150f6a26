/** One line of the replacement map (docs/spec/shapes.md, section 17.8). */
import { z } from 'zod';
import { described } from '../base/described.ts';

const bytes = () => z.int().min(0);
const pixels = () => z.int().min(1);
const path = z.string().meta({ description: 'Path inside the package.', examples: ['files/images/hero.webp'] });
const sha256 = z.string();
const sitePath = z.string().meta({ description: 'Proposed path on the site.', examples: ['/images/hero.webp'] });

/** A further file for an image. */
const copySchema = z
  .object({ to: path, to_path: sitePath, sha256, bytes: bytes(), width: pixels(), height: pixels() })
  .meta({ id: 'ReplacementCopy' });
export type ReplacementCopy = z.output<typeof copySchema>;

export const replacementSchema = z
  .object({
    seq: z.int().min(1).meta({ description: 'Number of the asset.' }),
    from: z.string().meta({ description: 'Original address.', examples: ['https://example.com/images/hero.jpg'] }),
    from_path: z.string().meta({ description: 'Its path and query.', examples: ['/images/hero.jpg'] }),
    raw: z.array(z.string()).meta({ description: 'How the sources spell it, at most 100 ways.' }),
    to: path,
    to_path: sitePath,
    from_sha256: sha256,
    from_bytes: bytes(),
    from_format: z.string(),
    from_width: pixels().nullable(),
    from_height: pixels().nullable(),
    to_sha256: sha256,
    to_bytes: bytes(),
    to_format: z.string(),
    to_width: pixels(),
    to_height: pixels(),
    saved_bytes: z.int().meta({ description: 'Negative where a larger result was approved.' }),
    similarity: z.number().nullable(),
    approval: z.enum(['auto', 'approved']),
    srcset: z.array(copySchema).meta({ description: 'Copies of other widths (`variants_widths`).' }),
    unresized: copySchema.nullable().meta({
      description:
        'The same as large as the original, where `to` has the size of the places that the scan has seen; for all other pages.',
    }),
    avif: described(
      copySchema.extend({ unresized: copySchema.nullable().meta({ description: 'Beside `unresized`.' }) }).nullable(),
      'The same as `to` in fewer bytes, as AVIF, with the setting `also_avif`: for a `source` before that of `to`.',
    ),
    srcset_markup: described(
      z.string().nullable(),
      'A `srcset` of all widths, for places that show the image larger or smaller.',
      '/images/hero.webp 240w, /images/hero.1200w.webp 1200w',
    ),
    roles: z.array(z.string()),
    pages: z.array(z.string()).meta({ description: 'Addresses of pages that use it, at most 20.' }),
    pages_total: z.int().min(0),
  })
  .meta({ id: 'Replacement' });

/** A line of the map. */
export type Replacement = z.output<typeof replacementSchema>;
