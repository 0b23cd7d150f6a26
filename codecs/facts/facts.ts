/** Types for what a file records about its image beyond the decoder's header: coding, colours and metadata. */
import type { GainMapStandard } from '../metadata/gain-map.ts';
import type { Density, Metadata } from '../metadata/metadata.ts';
import type { ExifSections } from '../tags/exif-tags.ts';
import type { ProfileSpace } from '../tags/icc.ts';

export interface ColourFacts {
  /** The colour model of the samples before any profile is applied. For a palette, the model of its colours. */
  model?: 'gray' | 'rgb' | 'cmyk' | 'lab';
  /** The space of RGB samples when the file names it by other means than a profile. */
  space?: ProfileSpace;
  /** Includes alpha. */
  channels?: number;
  /** Bits per sample, or per index into a palette. */
  bitDepth?: number;
  paletteColors?: number;
  /** Whether the profile is compressed inside the coded image, where only the decoder can read it. */
  profileInside?: boolean;
  /** Whether the dynamic range is high, in the samples or through a gain map. */
  hdr?: boolean;
}

export interface CodingFacts {
  progressive?: boolean;
  lossless?: boolean;
  chromaSubsampling?: string;
  /** From 1 to 100, on the scale of libjpeg. */
  quality?: number;
  compression?: string;
}

/** A small version of the image stored in the same file. */
export interface PreviewFacts {
  width: number | null;
  height: number | null;
  bytes: number;
  format: string;
}

/** A gain map (codecs/metadata/gain-map.ts). What the file does not say is missing. */
export interface GainMapFacts {
  standards: readonly GainMapStandard[];
  width?: number;
  height?: number;
  channels?: number;
  bytes?: number;
  parameters?: GainMapParameters;
  /** Apple: how many times brighter than white the brightest pixel may become. */
  headroom?: number;
}

/**
 * How a map is applied (Adobe, Gain Map 1.0; ISO 21496-1). Gains and capacities are binary logarithms. Lists have one
 * value for all channels, or one each for red, green and blue.
 */
export interface GainMapParameters {
  gainMin: number[];
  gainMax: number[];
  gamma: number[];
  offsetSdr: number[];
  offsetHdr: number[];
  capacityMin: number;
  capacityMax: number;
  /** Whether the main image is the one of high dynamic range, which the map makes darker. */
  isBaseHdr: boolean;
}

export interface Stored {
  /** Missing when only the orientation is known. */
  size?: { width: number; height: number };
  /** EXIF orientation, 1 to 8. */
  orientation: number;
}

export interface FileFacts {
  blocks: Metadata;
  /** Set where EXIF is spread over the file instead of being one block. */
  exif?: ExifSections;
  colour?: ColourFacts;
  coding?: CodingFacts;
  /** How the image is stored, when the decoder applies the orientation itself. */
  stored?: Stored;
  /** Set for animations that the decoder treats as a still image. */
  motion?: {
    frames: number;
    durationMs: number;
    /** 0 means without end. */
    loop?: number;
  };
  density?: Density;
  comment?: string;
  /** Texts by keyword. */
  texts?: ReadonlyMap<string, string>;
  preview?: PreviewFacts;
  gainMap?: GainMapFacts;
  /** Whether the file has a box with content credentials. */
  c2pa?: boolean;
  /**
   * Whether the file has metadata of another kind, which only files of its own format hold: patient data, the
   * information of a document, chunks that describe colours without a profile.
   */
  ownMetadata?: boolean;
}
