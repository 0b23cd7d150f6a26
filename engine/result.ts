/** The results shared by the operations, the pool and the server: their types, and the meanings of their codes. */
import type { FormatId } from '../codecs/formats/registry.ts';

/** Values of `X-IC-Outcome` (docs/spec/shapes.md, section 5.1), with their meanings. */
export const OUTCOMES = {
  reduced: 'Smaller than the original.',
  kept_original: 'No encoding was smaller, so the image of the original was kept.',
  grown: 'Larger than the original, because the request leads to it.',
  target_met: 'The requested size is met.',
  unreachable: 'The requested size cannot be reached. This is the smallest version.',
  done: 'The size of the file was not the aim.',
} as const;
export type Outcome = keyof typeof OUTCOMES;

/** Values of `X-IC-Warnings` (docs/spec/shapes.md, section 5.2), with their meanings. */
export const WARNINGS = {
  min_size_unavailable: 'Only JPEG and PNG can be padded to a minimum size.',
  print_resolution_low: 'The print size needs more pixels than the image has.',
  source_small: 'The image has fewer than 512 pixels on its longer side, so large icons are not sharp.',
  animation_flattened: 'Only one frame of the animation was used.',
  pages_dropped: 'The file has further pages or images; only the first was used.',
  depth_reduced: 'The result has fewer bits per sample than the file.',
  glyphs_missing: 'No font has some characters of the watermark text; boxes stand for them.',
  alpha_flattened:
    'Transparent areas were filled with the background colour, or partial transparency became full or none.',
  metadata_dropped: 'The format cannot store metadata that was to be kept.',
  gain_map_dropped:
    'The file has a gain map for displays of high dynamic range, and the result has none: metadata was not kept, or the format or a change does not allow it.',
  color_converted: 'CMYK, Lab, wide-gamut or HDR colours were converted to sRGB.',
  image_uniform: 'The image has only one colour, so nothing was trimmed.',
  truncated_source: 'The file ends early; the readable part was used.',
  preview_used: 'The preview in the camera file was used, not the data of the sensor.',
  no_faces_found: 'No faces were found, so nothing was blurred, or the cut keeps the centre.',
  weak_cover: 'At this strength, a covered face may still be recognised.',
  low_confidence: 'The model is not sure of the result. Check it.',
  head_out_of_range:
    'The image has too little room around the head, so its size or position is not what the photo needs.',
  preset_unverified: 'The preset was not taken from an official page.',
  watermark_shrunk: 'The watermark did not fit at the requested size.',
} as const;
export type Warning = keyof typeof WARNINGS;

/** One encoding that mode smart tried. */
export interface Trial {
  format: FormatId;
  /** Null for a lossless encoding. */
  quality: number | null;
  bytes: number;
  similarity: number;
  chosen: boolean;
}

/** Durations in milliseconds. */
export interface Phases {
  decode: number;
  process: number;
  encode: number;
}

/** One image as the result of an operation. `data` is transferred, never copied. */
export interface ImageResult {
  data: ArrayBuffer;
  format: FormatId;
  /** Extension of the file name, without the dot, if it is not the first of its format. */
  extension?: string;
  width: number;
  height: number;
  /** Resolution recorded in the file, in dots per inch. */
  dpi: number | null;
  outcome: Outcome;
  warnings: Warning[];
  source: { format: FormatId; bytes: number /** As displayed. */; width: number; height: number };
  /** 64-bit perceptual hash of the source, 16 lower-case hex digits. */
  fingerprint?: string;
  /** 0 to 1; 1 is identical. */
  similarity?: number;
  explain?: Trial[];
  phases: Phases;
}
