/**
 * The photo sizes that authorities require (docs/spec/shapes.md, section 12). The data is in presets.json, so that
 * corrections change no code. The test of this file checks it against the declaration below. Main-thread safe.
 */
import { z } from 'zod';
import { described } from '../../../base/described.ts';
import type { OUTPUT_FORMATS } from '../../../codecs/formats/registry.ts';
import list from './presets.json' with { type: 'json' };

/** Output formats of an ID photo. */
export const PHOTO_FORMATS = ['jpeg', 'png'] as const satisfies readonly (typeof OUTPUT_FORMATS)[number][];
export type PhotoFormat = (typeof PHOTO_FORMATS)[number];

const millimetres = () => z.number().positive().nullable();
const pixels = () => z.int().positive();
const bytes = () => z.int().positive().nullable();

export const presetSchema = z
  .strictObject({
    id: described(z.string().regex(/^[a-z0-9_]+$/), 'Value for the parameter `preset`.', 'us_visa'),
    country: described(
      z.string().regex(/^[A-Z]{2}$/),
      'ISO 3166-1 alpha-2; EU for Schengen, ZZ for plain sizes.',
      'US',
    ),
    document: z.enum(['passport', 'visa', 'identity', 'permit', 'generic']),
    name: described(z.string().min(1), 'For people.', 'United States visa'),
    width_mm: described(millimetres(), 'Print size; null when the authority gives only pixels.'),
    height_mm: millimetres(),
    width: described(pixels(), 'Exact pixel size of the result.', 600),
    height: pixels().meta({ examples: [600] }),
    dpi: described(pixels(), 'Resolution that is recorded.', 300),
    format: z.enum(PHOTO_FORMATS),
    min_bytes: described(bytes(), 'Least size of the file.'),
    max_bytes: described(bytes(), 'Largest size of the file.'),
    background: described(z.string().regex(/^#[0-9a-f]{6}$/), "Our choice within the authority's rule.", '#ffffff'),
    head_min_mm: described(
      millimetres(),
      'Chin to crown. align=face keeps to it; otherwise the service does not check it.',
    ),
    head_max_mm: millimetres(),
    accepts: described(
      z
        .strictObject({
          min_width: pixels().nullable(),
          min_height: pixels().nullable(),
          max_width: pixels().nullable(),
          max_height: pixels().nullable(),
          min_bytes: bytes(),
          max_bytes: bytes(),
          formats: z.array(z.enum(PHOTO_FORMATS)),
        })
        .nullable(),
      'What the authority allows where it allows a range.',
    ),
    source_url: described(z.url({ protocol: /^https?$/ }).nullable(), 'The page that was read; null for plain sizes.'),
    source_read_on: described(z.iso.date(), 'The day on which it was read.', '2026-11-21'),
    source_kind: described(
      z.enum(['official', 'quoted', 'generic']),
      "official: the authority's own page. quoted: its text on another site; results warn preset_unverified. generic: a plain size of no authority.",
    ),
    note: z.string().nullable(),
  })
  .meta({ id: 'IdPhotoPreset' });

export type Preset = z.output<typeof presetSchema>;

/** Presets by id. */
export const PRESETS: ReadonlyMap<string, Preset> = new Map(
  // The data is part of the project, and the test checks it, so no process has to validate it at start.
  (list as Preset[]).map((preset) => [preset.id, preset]),
);
