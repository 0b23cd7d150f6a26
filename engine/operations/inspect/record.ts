/**
 * The record that inspect returns (docs/spec/shapes.md, section 7). Declared once, for the type and for the documentation.
 */
import { z } from 'zod';
import type { Phases } from '../../result.ts';

const count = () => z.int().min(0);
const pixels = () => z.int().min(1);
const hash64 = () => z.string().regex(/^[0-9a-f]{16}$/);
const colour = () => z.string().regex(/^#[0-9a-f]{6}$/);
/** Names as in the file, with plain values. */
const tags = () => z.record(z.string(), z.unknown()).nullable();

const color = z
  .object({
    space: z
      .enum(['srgb', 'display_p3', 'adobe_rgb', 'cmyk', 'gray', 'lab', 'unknown'])
      .meta({ description: 'By the profile or whatever else says it; sRGB where nothing does.' }),
    channels: pixels().meta({ description: 'With the alpha channel.', examples: [3] }),
    bit_depth: pixels().meta({ description: 'Bits of a sample; of a palette picture, of an index.', examples: [8] }),
    has_alpha: z.boolean(),
    transparent: z
      .boolean()
      .nullable()
      .meta({ description: 'A pixel is really see-through; null when the picture cannot be decoded.' }),
    palette_colors: count().nullable().meta({ description: 'Entries of the palette.' }),
    icc_profile: z
      .string()
      .nullable()
      .meta({ description: 'Name of the profile.', examples: ['Display P3'] }),
    hdr: z
      .boolean()
      .meta({ description: 'High dynamic range: PQ, HLG or floating samples, or a gain map beside the picture.' }),
  })
  .meta({ id: 'InspectedColor' });

const encoding = z
  .object({
    progressive: z.boolean().nullable().meta({ description: 'Progressive or interlaced.' }),
    lossless: z.boolean().nullable().meta({ description: 'null where the header does not tell.' }),
    chroma_subsampling: z
      .string()
      .nullable()
      .meta({ examples: ['4:2:0'] }),
    quality_estimate: z
      .int()
      .min(1)
      .max(100)
      .nullable()
      .meta({ description: 'JPEG: from the quantisation tables, on the scale of libjpeg.', examples: [85] }),
    compression: z
      .string()
      .nullable()
      .meta({ description: 'Name of the method.', examples: ['lzw'] }),
  })
  .meta({ id: 'InspectedEncoding' });

const metadata = z
  .object({
    exif: tags().meta({
      description:
        "EXIF by ExifTool's names. Coordinates are in degrees without their direction, exposure times in seconds; of MakerNote the maker, the size and what is known of lens and serial number.",
      examples: [{ Make: 'Canon', FNumber: 2.8, MakerNote: { maker: 'Canon', bytes: 3840 } }],
    }),
    iptc: tags().meta({ description: "IPTC by ExifTool's names.", examples: [{ Keywords: ['harbour', 'dawn'] }] }),
    xmp: tags().meta({
      description:
        'XMP with the usual prefixes; lists as arrays, structures as objects, other languages as name-language.',
      examples: [{ 'dc:title': 'Harbour at dawn' }],
    }),
    png_text: tags().meta({ description: 'Texts of a PNG by keyword.', examples: [{ Software: 'GIMP' }] }),
    comment: z.string().nullable(),
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
    make: z
      .string()
      .nullable()
      .meta({ examples: ['Apple'] }),
    model: z
      .string()
      .nullable()
      .meta({ examples: ['iPhone 12 Pro'] }),
    lens: z.string().nullable(),
    exposure_time: z
      .string()
      .nullable()
      .meta({ description: 'Seconds.', examples: ['1/250'] }),
    f_number: z
      .number()
      .nullable()
      .meta({ examples: [1.6] }),
    iso: z
      .number()
      .nullable()
      .meta({ examples: [100] }),
    focal_length_mm: z
      .number()
      .nullable()
      .meta({ examples: [4.2] }),
  })
  .meta({ id: 'InspectedCamera' });

const gps = z
  .object({
    latitude: z
      .number()
      .nullable()
      .meta({ description: 'Degrees, WGS 84; south is negative.', examples: [46.0569] }),
    longitude: z
      .number()
      .nullable()
      .meta({ description: 'Degrees, WGS 84; west is negative.', examples: [14.5058] }),
    altitude_m: z
      .number()
      .nullable()
      .meta({ description: 'Below sea level is negative.', examples: [298.4] }),
    direction_deg: z.number().nullable().meta({ description: 'Where the camera looked, clockwise from north.' }),
    taken_at: z
      .string()
      .nullable()
      .meta({ description: 'UTC.', examples: ['2026-03-05T11:28:10Z'] }),
  })
  .meta({ id: 'InspectedGps' });

export const inspectionRecord = z
  .object({
    format: z.string().meta({ description: 'As in the list of formats.', examples: ['jpeg'] }),
    content_type: z.string().meta({ examples: ['image/jpeg'] }),
    bytes: count().meta({ examples: [812_345] }),
    width: pixels().meta({ description: 'As displayed.', examples: [3024] }),
    height: pixels().meta({ description: 'As displayed.', examples: [4032] }),
    stored_width: pixels().meta({ description: 'As stored in the file.', examples: [4032] }),
    stored_height: pixels().meta({ description: 'As stored in the file.', examples: [3024] }),
    orientation: z
      .int()
      .min(1)
      .max(8)
      .meta({ description: 'How to turn it, as EXIF counts; 1 is upright.', examples: [6] }),
    page: pixels().meta({ description: 'The page inspected.', examples: [1] }),
    pages: pixels().meta({ description: 'Pages, frames or planes of the file.', examples: [1] }),
    animated: z.boolean(),
    frames: count().nullable().meta({ description: 'Only animations.' }),
    animation_ms: count().nullable().meta({ description: 'Only animations: time of one round.' }),
    loop: count().nullable().meta({ description: 'Only animations: how often it plays; 0 is for ever.' }),
    color,
    dpi: z
      .object({ x: z.number(), y: z.number() })
      .nullable()
      .meta({ description: 'Recorded resolution.', examples: [{ x: 300, y: 300 }] }),
    encoding,
    metadata,
    camera: camera.nullable(),
    taken_at: z
      .string()
      .nullable()
      .meta({
        description: 'When the picture was taken; with an offset from UTC if the file says so.',
        examples: ['2026-03-05T13:28:10.150+02:00'],
      }),
    gps: gps.nullable(),
    thumbnail: z
      .object({
        width: count().nullable(),
        height: count().nullable(),
        bytes: count(),
        format: z.string().meta({ examples: ['jpeg'] }),
      })
      .nullable()
      .meta({ description: 'A small version of the picture inside the file.' }),
    fingerprints: z.object({
      sha256: z
        .string()
        .regex(/^[0-9a-f]{64}$/)
        .meta({ description: 'Of the file.' }),
      phash: hash64()
        .nullable()
        .meta({ description: 'As X-IC-Fingerprint.', examples: ['c3d4a1b2e5f60718'] }),
      dhash: hash64().nullable().meta({ description: 'Difference hash of 9 x 8 pixels, row by row.' }),
    }),
    colors: z
      .object({
        average: colour().meta({ examples: ['#7a6f5d'] }),
        dominant: colour().meta({ examples: ['#2b4a6f'] }),
        palette: z.array(colour()).max(8).meta({ description: 'Most frequent first.' }),
      })
      .nullable()
      .meta({ description: 'Of the visible pixels; null when there are none or the picture cannot be decoded.' }),
    blurhash: z
      .string()
      .nullable()
      .meta({ description: '4 x 3 components.', examples: ['LEHV6nWB2yk8pyo0adR*.7kCMdnj'] }),
    provenance: z.object({
      c2pa: z.boolean().meta({ description: 'Content credentials are there. They are not verified.' }),
    }),
    privacy: z
      .array(z.enum(['gps', 'serial_number', 'owner_name', 'thumbnail', 'software', 'face_regions']))
      .meta({ description: 'What a publisher may want to remove.', examples: [['gps', 'serial_number']] }),
    warnings: z.array(z.string()).meta({ description: 'As in X-IC-Warnings.', examples: [[]] }),
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
