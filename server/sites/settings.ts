/** SiteScanSettings (docs/spec/shapes.md, section 17.5). */
import { z } from 'zod';
import { described } from '../../base/described.ts';

const MAX_PATTERNS = 50;
const patterns = (description: string) =>
  z.array(z.string().min(1).max(500)).max(MAX_PATTERNS).default([]).meta({ description });

export const scanSettingsSchema = z
  .strictObject({
    format: described(z.enum(['webp', 'avif', 'keep']).default('webp'), 'Format that images are converted to.'),
    mode: z.enum(['quality', 'smart', 'lossless']).default('quality').meta({ description: 'As in compress.' }),
    quality: z.int().min(1).max(100).default(80).meta({ description: 'Of mode quality.' }),
    max_width: described(
      z.int().min(1).max(10_000).nullable().default(null),
      'Upper bound for every image, in pixels.',
    ),
    fit_displayed: described(
      z.boolean().default(true),
      'Resize an image that is larger than twice its largest displayed size to twice that, where attributes or inline styles give the size and no style sheet of the page can show it larger.',
    ),
    variants_widths: described(
      z.array(z.int().min(16).max(10_000)).max(6).default([]),
      'Widths of responsive copies, in pixels.',
      [480, 960],
    ),
    min_savings_bytes: described(
      z.int().min(0).max(1_000_000_000).default(4096),
      'A result that saves less does not count.',
    ),
    min_savings_percent: z.int().min(0).max(100).default(10).meta({ description: 'The same, in percent.' }),
    metadata: z.enum(['strip', 'color', 'no_gps', 'keep']).default('color').meta({ description: 'As in compress.' }),
    also_avif: described(
      z.boolean().default(false),
      'Beside each WebP file an AVIF one, where it is smaller and looks the same: for `picture` elements with both.',
    ),
    recompress_webp: z.boolean().default(false).meta({ description: 'Compress WebP originals again.' }),
    optimize_svg: z.boolean().default(false).meta({ description: 'Minify SVG.' }),
    map_social: described(
      z.boolean().default(false),
      'Also replace images that crawlers and mail programs read, which may not know WebP.',
    ),
    include: patterns(
      'Only pages whose path matches one: path globs such as /blog/**, or re: and a regular expression.',
    ),
    exclude: patterns('Not pages whose path matches one.'),
    asset_exclude: patterns('Not images whose path matches one.'),
    include_subdomains: z.boolean().default(false).meta({ description: 'Pages of sub-domains belong to the site.' }),
    external_assets: z.boolean().default(true).meta({ description: 'Fetch images of other hosts.' }),
    asset_hosts: described(
      z.array(z.string().min(1).max(253)).max(10).default([]),
      'Further hosts that belong to the site.',
      ['cdn.example.com'],
    ),
    max_depth: z.int().min(0).max(20).default(10).meta({ description: 'Links from the start.' }),
    sample_per_pattern: described(
      z.int().min(1).max(100_000).nullable().default(null),
      'At most so many pages of one path pattern, such as /blog/*.',
    ),
    respect_robots: described(
      z.boolean().default(true),
      'false only for a website that names the id of the account: in a line of its file /.well-known/imagecrew-site.txt, or as the content of a meta tag imagecrew-site-verification in the head of its home page. Other hosts that images come from are asked by their robots.txt all the same.',
    ),
    concurrency: z.int().min(1).max(6).default(2).meta({ description: 'Connections to one host at a time.' }),
    delay_ms: z.int().min(0).max(10_000).default(200).meta({ description: 'Between two requests to one host.' }),
  })
  .meta({ id: 'SiteScanSettings' });

export type SiteScanSettings = z.output<typeof scanSettingsSchema>;
