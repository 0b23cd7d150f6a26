/** Which kinds of metadata the tags of a file belong to. */
import type { Tags } from './exiftool.ts';
import type { ImageProperties, MetadataKind } from './properties.ts';

/** Tags of EXIF directories that describe the pixels or the structure of the file, so that they change with it. */
const STRUCTURE =
  /Image(?:Width|Height)$|Exif(?:Image|Version)|FlashpixVersion|ComponentsConfiguration|Orientation|Resolution|ColorSpace|Interop|YCbCr|Thumbnail|Offset|Strip|Tile|Compress|SamplesPer|BitsPer|Photometric|Planar|RowsPer|FillOrder|SubfileType|ExtraSamples|SampleFormat|Predictor|ColorMap|PageNumber|WhitePoint|PrimaryChromaticities|CFA|Pixel|^(?:DNG|UniqueCamera|BlackLevel|WhiteLevel|Default|Active|ColorMatrix|Analog|AsShot|Baseline|Linear|Padding|TIFF-EP|GPSVersionID|MakerNote|PrintIM|InkSet|JPEGTables|Preview)/;

/** Groups of tags that are EXIF, wherever the file has it. */
const EXIF_GROUPS = new Set(['IFD0', 'ExifIFD', 'GPS']);

/** Texts for people beside EXIF, XMP and IPTC. */
const TEXTS = [
  /^File:Comment$/,
  /^PNG:(?:Title|Author|Description|Copyright|CreationTime|Disclaimer|Warning|Source|Comment)$/,
  /^PDF:(?:Title|Author|Subject|Keywords|Creator)$/,
  /^DICOM:(?:PatientName|StudyDate|Modality)$/,
  /^SVG:(?:Title|Desc)$/,
];

export function readMetadataKinds(tags: Tags): Pick<ImageProperties, 'metadata' | 'exifTags'> {
  const kinds = new Set<MetadataKind>();
  const exifTags = new Set<string>();
  for (const [key, value] of Object.entries(tags)) {
    const [group = '', name = ''] = key.split(':');
    // The thumbnail of a JPEG in a file of Photoshop has its own EXIF.
    if (EXIF_GROUPS.has(group) && !STRUCTURE.test(name) && value !== '') exifTags.add(name);
    if (group.startsWith('XMP')) kinds.add('XMP');
    if (group === 'IPTC') kinds.add('IPTC');
    if (TEXTS.some((pattern) => pattern.test(key)) && value !== '') kinds.add('texts');
  }
  if (exifTags.size > 0) kinds.add('EXIF');
  if (hasGamma(tags)) kinds.add('gAMA');
  return { metadata: kinds, exifTags };
}

const SRGB_GAMMA = 2.2;
const GAMMA_TOLERANCE = 0.1;

/** Whether the curve is named by a number, and not that of sRGB. A profile, or the chunk sRGB, replaces it. */
const hasGamma = (tags: Tags): boolean =>
  tags['PNG:SRGBRendering'] === undefined &&
  tags['ICC-header:ProfileVersion'] === undefined &&
  Math.abs(Number(tags['PNG:Gamma'] ?? SRGB_GAMMA) - SRGB_GAMMA) > GAMMA_TOLERANCE;
