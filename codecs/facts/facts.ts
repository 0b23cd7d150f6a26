/** What a file says of its picture beyond the header that a decoder needs: how it is coded, in which colours, with what beside it. */
import type { Density, Metadata } from '../metadata/metadata.ts';
import type { ExifSections } from '../tags/exif-tags.ts';
import type { ProfileSpace } from '../tags/icc.ts';

export interface ColourFacts {
  /** What the samples are before any profile. A palette counts as what its colours are. */
  model?: 'gray' | 'rgb' | 'cmyk' | 'lab';
  /** The space of RGB samples that the file names by other means than a profile. */
  space?: ProfileSpace;
  /** With alpha. */
  channels?: number;
  /** Bits of a sample, or of an index into a palette. */
  bitDepth?: number;
  paletteColors?: number;
  /** The profile is packed into the coded picture, from where only the decoder can take it. */
  profileInside?: boolean;
  /** High dynamic range, be it in the samples or by a gain map. */
  hdr?: boolean;
}

export interface CodingFacts {
  progressive?: boolean;
  lossless?: boolean;
  chromaSubsampling?: string;
  /** 1 to 100, on the scale of libjpeg. */
  quality?: number;
  compression?: string;
}

/** A small version of the picture beside it. */
export interface PreviewFacts {
  width: number | null;
  height: number | null;
  bytes: number;
  format: string;
}

export interface Stored {
  /** Left out when only the orientation is known. */
  size?: { width: number; height: number };
  /** EXIF orientation, 1 to 8. */
  orientation: number;
}

export interface FileFacts {
  blocks: Metadata;
  /** Where EXIF is not a block of its own but spread over the file. */
  exif?: ExifSections;
  colour?: ColourFacts;
  coding?: CodingFacts;
  /** Where the decoder turns the picture upright by itself: how it is stored. */
  stored?: Stored;
  /** Of animations that the decoder takes for a still picture. */
  motion?: {
    frames: number;
    durationMs: number;
    /** 0 is for ever. */
    loop?: number;
  };
  density?: Density;
  comment?: string;
  /** Texts with keywords. */
  texts?: ReadonlyMap<string, string>;
  preview?: PreviewFacts;
  /** A box with content credentials is there. */
  c2pa?: boolean;
}
