/** What an image file has, as programs of other makers read it. */
import type { FormatId } from '../../codecs/formats/registry.ts';
import { type ColourSpace, readColourSpace } from './colour-spaces.ts';
import { readTags, type Tags } from './exiftool.ts';
import { readMetadataKinds } from './metadata.ts';
import { PIXEL_READERS } from './readers.ts';

export type ColourModel = 'grey' | 'RGB' | 'CMYK' | 'Lab';

export const METADATA_KINDS = ['EXIF', 'XMP', 'IPTC', 'texts', 'gAMA'] as const;
export type MetadataKind = (typeof METADATA_KINDS)[number];

export interface Animation {
  frames: number;
  /** undefined if no program reads it from files of this format. */
  durationMs?: number | undefined;
  /** 0 means forever. undefined as above. */
  plays?: number | undefined;
}

/** Of all pixels: opaque, opaque or transparent, or something between. */
export type Transparency = 'none' | 'binary' | 'partial';

export interface ImageProperties extends ColourSpace {
  /** Pages, sizes of an icon or planes; 1 for an animation. */
  images: number;
  /** undefined for a still image. */
  animation?: Animation | undefined;
  /** Bits per sample; of the colours if samples are numbers of a palette. */
  bits: number;
  model: ColourModel;
  transparency: Transparency;
  hasGainMap: boolean;
  metadata: ReadonlySet<MetadataKind>;
  /** Names of the EXIF tags that do not depend on the file's structure. */
  exifTags: ReadonlySet<string>;
}

/** What readers of single formats find; the rest is the default. */
export type PixelProperties = Partial<Omit<ImageProperties, 'metadata' | 'exifTags'>>;

const DEFAULTS = { images: 1, bits: 8, model: 'RGB', transparency: 'none', hasGainMap: false } as const;

/** @throws Error if a program is not installed or cannot read the file */
export async function readProperties(file: string, format: FormatId): Promise<ImageProperties> {
  const tags = await readTags(file);
  const pixels = await PIXEL_READERS[format]?.(file, tags);
  return { ...DEFAULTS, ...readColourSpace(tags), ...pixels, ...readMetadataKinds(tags) };
}

export type PixelReader = (file: string, tags: Tags) => Promise<PixelProperties>;
