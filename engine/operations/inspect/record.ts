/**
 * The record that inspect returns (docs/spec/shapes.md, section 7). Declared once, for the type and for the documentation.
 */
import { z } from 'zod';
import { described } from '../../../base/described.ts';
import { GAIN_MAP_STANDARDS } from '../../../codecs/metadata/gain-map.ts';
import type { Phases } from '../../result.ts';

const count = () => z.int().min(0);
const pixels = () => z.int().min(1);
const text = () => z.string().nullable();
const number = () => z.number().nullable();
const hash64 = () => z.string().regex(/^[0-9a-f]{16}$/);
const colour = () => z.string().regex(/^#[0-9a-f]{6}$/);
/** Names as in the file, with plain values. */
const tags = () => z.record(z.string(), z.unknown()).nullable();

const color = z
  .object({
    space: described(
      z.enum(['srgb', 'display_p3', 'adobe_rgb', 'cmyk', 'gray', 'lab', 'unknown']),
      'By the profile or whatever else says it; sRGB where nothing does.',
    ),
    channels: described(pixels(), 'With the alpha channel.', 3),
    bit_depth: described(pixels(), 'Bits of a sample; of a palette image, of an index.', 8),
    has_alpha: z.boolean(),
    transparent: described(
      z.boolean().nullable(),
      'A pixel is really see-through; null when the image cannot be decoded.',
    ),
    palette_colors: described(count().nullable(), 'Entries of the palette.'),
    icc_profile: described(text(), 'Name of the profile.', 'Display P3'),
    hdr: described(z.boolean(), 'High dynamic range: PQ, HLG or floating samples, or a gain map beside the image.'),
  })
  .meta({ id: 'InspectedColor' });

const encoding = z
  .object({
    progressive: described(z.boolean().nullable(), 'Progressive or interlaced.'),
    lossless: described(z.boolean().nullable(), 'null where the header does not tell.'),
    chroma_subsampling: text().meta({ examples: ['4:2:0'] }),
    quality_estimate: described(
      z.int().min(1).max(100).nullable(),
      'JPEG: from the quantisation tables, on the scale of libjpeg.',
      85,
    ),
    compression: described(text(), 'Name of the method.', 'lzw'),
  })
  .meta({ id: 'InspectedEncoding' });

const metadata = z
  .object({
    exif: described(
      tags(),
      "EXIF by ExifTool's names. Coordinates are in degrees without their direction, exposure times in seconds; of MakerNote the maker, the size and what is known of lens and serial number.",
      { Make: 'Canon', FNumber: 2.8, MakerNote: { maker: 'Canon', bytes: 3840 } },
    ),
    iptc: described(tags(), "IPTC by ExifTool's names.", { Keywords: ['harbour', 'dawn'] }),
    xmp: described(
      tags(),
      'XMP with the usual prefixes; lists as arrays, structures as objects, other languages as name-language.',
      { 'dc:title': 'Harbour at dawn' },
    ),
    png_text: described(tags(), 'Texts of a PNG by keyword.', { Software: 'GIMP' }),
    comment: text(),
    exif_bytes: count(),
    iptc_bytes: count(),
    xmp_bytes: count(),
    icc_bytes: count(),
  })
  .meta({
    id: 'InspectedMetadata',
    description:
      'Binary values are replaced by {"bytes": n}. Texts are cut at 4,000 characters, lists at 100 values, all of it at 5,000 values and 500,000 characters.',
  });

const camera = z
  .object({
    make: text().meta({ examples: ['Apple'] }),
    model: text().meta({ examples: ['iPhone 12 Pro'] }),
    lens: text(),
    exposure_time: described(text(), 'Seconds.', '1/250'),
    f_number: number().meta({ examples: [1.6] }),
    iso: number().meta({ examples: [100] }),
    focal_length_mm: number().meta({ examples: [4.2] }),
  })
  .meta({ id: 'InspectedCamera' });

const gps = z
  .object({
    latitude: described(number(), 'Degrees, WGS 84; south is negative.', 46.0569),
    longitude: described(number(), 'Degrees, WGS 84; west is negative.', 14.5058),
    altitude_m: described(number(), 'Below sea level is negative.', 298.4),
    direction_deg: described(number(), 'Where the camera looked, clockwise from north.'),
    taken_at: described(text(), 'UTC.', '2026-03-05T11:28:10Z'),
  })
  .meta({ id: 'InspectedGps' });

const gain = (text: string, example: number) => described(z.array(z.number()).nullable(), text, [example]);

const gainMap = z
  .object({
    standards: described(
      z.array(z.enum(GAIN_MAP_STANDARDS)),
      'How it is described: ultra_hdr (XMP of Adobe and Google), iso_21496_1, apple.',
      ['ultra_hdr', 'iso_21496_1'],
    ),
    width: described(
      pixels().nullable(),
      'Of the map; null when the file announces a map that it does not contain.',
      960,
    ),
    height: described(pixels().nullable(), 'Of the map.', 540),
    channels: described(pixels().nullable(), 'Of the map.', 1),
    bytes: described(count().nullable(), 'Of the coded map.', 31_738),
    gain_min: gain('Gain of the darkest sample, as a binary logarithm; one value, or red, green and blue.', 0),
    gain_max: gain('Gain of the brightest sample, as a binary logarithm.', 2.3),
    gamma: gain('Exponent of the samples.', 1),
    offset_sdr: gain('Added to the darker rendition before the gain.', 0.015_625),
    offset_hdr: gain('Subtracted from the brighter rendition after the gain.', 0.015_625),
    hdr_capacity_min: described(
      number(),
      'Binary logarithm of the headroom of a display (peak divided by white) from which the map is applied.',
      0,
    ),
    hdr_capacity_max: described(number(), 'The same from which it is applied in full.', 2.3),
    base_is_hdr: described(z.boolean().nullable(), 'The main image is the brighter rendition.'),
  })
  .meta({ id: 'InspectedGainMap' });

export const inspectionRecord = z
  .object({
    format: described(z.string(), 'As in the list of formats.', 'jpeg'),
    content_type: z.string().meta({ examples: ['image/jpeg'] }),
    bytes: count().meta({ examples: [812_345] }),
    width: described(pixels(), 'As displayed.', 3024),
    height: described(pixels(), 'As displayed.', 4032),
    stored_width: described(pixels(), 'As stored in the file.', 4032),
    stored_height: described(pixels(), 'As stored in the file.', 3024),
    orientation: described(z.int().min(1).max(8), 'How to turn it, as EXIF counts; 1 is upright.', 6),
    page: described(pixels(), 'The page inspected.', 1),
    pages: described(pixels(), 'Pages, frames or planes of the file.', 1),
    animated: z.boolean(),
    frames: described(count().nullable(), 'Only animations.'),
    animation_ms: described(count().nullable(), 'Only animations: time of one round.'),
    loop: described(count().nullable(), 'Only animations: how often it plays; 0 is for ever.'),
    color,
    dpi: described(z.object({ x: z.number(), y: z.number() }).nullable(), 'Recorded resolution.', { x: 300, y: 300 }),
    encoding,
    metadata,
    camera: camera.nullable(),
    taken_at: described(
      text(),
      'When the image was taken; with an offset from UTC if the file says so.',
      '2026-03-05T13:28:10.150+02:00',
    ),
    gps: gps.nullable(),
    thumbnail: described(
      z
        .object({
          width: count().nullable(),
          height: count().nullable(),
          bytes: count(),
          format: z.string().meta({ examples: ['jpeg'] }),
        })
        .nullable(),
      'A small version of the image inside the file.',
    ),
    gain_map: gainMap.nullable().meta({
      description: 'A second image that says how much brighter a display of high dynamic range may show each part.',
    }),
    fingerprints: z.object({
      sha256: described(z.string().regex(/^[0-9a-f]{64}$/), 'Of the file.'),
      phash: described(hash64().nullable(), 'As X-IC-Fingerprint.', 'c3d4a1b2e5f60718'),
      dhash: described(hash64().nullable(), 'Difference hash of 9 x 8 pixels, row by row.'),
    }),
    colors: z
      .object({
        average: colour().meta({ examples: ['#7a6f5d'] }),
        dominant: colour().meta({ examples: ['#2b4a6f'] }),
        palette: described(z.array(colour()).max(8), 'Most frequent first.'),
      })
      .nullable()
      .meta({ description: 'Of the visible pixels; null when there are none or the image cannot be decoded.' }),
    blurhash: described(text(), '4 x 3 components.', 'LEHV6nWB2yk8pyo0adR*.7kCMdnj'),
    provenance: z.object({
      c2pa: described(z.boolean(), 'Content credentials are there. They are not verified.'),
    }),
    privacy: described(
      z.array(z.enum(['gps', 'serial_number', 'owner_name', 'thumbnail', 'software', 'face_regions'])),
      'What a publisher may want to remove.',
      ['gps', 'serial_number'],
    ),
    warnings: described(z.array(z.string()), 'As in X-IC-Warnings.', []),
    duration_ms: count().meta({ examples: [31] }),
  })
  .meta({ id: 'InspectionRecord' });

export type InspectionRecord = z.output<typeof inspectionRecord>;

/** The worker's part of the record; the caller adds the duration. */
export type Inspection = Omit<InspectionRecord, 'duration_ms'>;

export interface InspectResult {
  record: Inspection;
  phases: Phases;
}
