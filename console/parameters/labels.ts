/** Labels of parameters and of their choices. */
import type { Parameter } from '../../server/console/declaration-types.ts';

const LABELS: Readonly<Record<string, string>> = {
  also_avif: 'AVIF beside WebP',
  asset_exclude: 'Images to leave out',
  asset_hosts: 'Further hosts',
  concurrency: 'Connections at a time',
  delay_ms: 'Pause between requests, in milliseconds',
  deliver_to: 'Deliver to',
  dpi: 'DPI',
  every: 'Keep every Nth frame',
  exclude: 'Pages to leave out',
  external_assets: 'Images of other hosts',
  filename: 'File name',
  fit_displayed: 'Fit to the size on the page',
  include: 'Pages to take',
  include_subdomains: 'Sub-domains too',
  lang: 'Languages',
  loop: 'Repeats',
  map_social: 'Images of previews and mails too',
  max_bytes: 'Largest size in bytes',
  max_depth: 'Most links from the start',
  min_bytes: 'Least size in bytes',
  min_savings_bytes: 'Least saving in bytes',
  min_savings_percent: 'Least saving in percent',
  optimize_svg: 'Minify SVG',
  percent: 'Scale in percent',
  recompress_webp: 'Compress WebP again',
  respect_robots: 'Follow robots.txt',
  sample_per_pattern: 'Most pages of one path pattern',
  short_name: 'Short name',
  target_bytes: 'Target size in bytes',
  trim_end: 'Ends at second',
  trim_start: 'Starts at second',
  variants_widths: 'Widths of responsive copies',
};

export function labelOf(name: string): string {
  const words = name.replace(/_mm$/, ' in millimetres').replaceAll('_', ' ').replace('color', 'colour');
  return LABELS[name] ?? words.charAt(0).toUpperCase() + words.slice(1);
}

/** Returns the help text without the backquotes of Markdown that some declarations contain. */
export const helpOf = ({ description }: Parameter): string => description.replaceAll('`', '');

const CHOICES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  flip: { h: 'left to right', v: 'top to bottom', hv: 'both' },
  metadata: { no_gps: 'keep, no place', color: 'colour profile' },
  scale: { 2: 'twice' },
  watermark_position: {
    ...{ tl: 'top left', tc: 'top', tr: 'top right', cl: 'left', c: 'centre', cr: 'right' },
    ...{ bl: 'bottom left', bc: 'bottom', br: 'bottom right', tile: 'repeated' },
  },
};

export function choiceLabel(name: string, choice: string): string {
  if (name === 'format')
    return choice === 'auto' || choice === 'keep' ? choice : (FORMATS[choice] ?? choice.toUpperCase());
  return CHOICES[name]?.[choice] ?? choice;
}

const FORMATS: Readonly<Record<string, string>> = { webp: 'WebP', jxl: 'JPEG XL' };
