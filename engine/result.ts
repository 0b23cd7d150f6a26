/** The result types shared by the operations, the pool and the server. */
import type { FormatId } from '../codecs/formats/registry.ts';

/** Values of `X-IC-Outcome` (docs/spec/shapes.md, section 5.1). */
export type Outcome = 'reduced' | 'kept_original' | 'grown' | 'target_met' | 'unreachable' | 'done';

/** Values of `X-IC-Warnings` (docs/spec/shapes.md, section 5.2). */
export type Warning =
  | 'min_size_unavailable'
  | 'print_resolution_low'
  | 'source_small'
  | 'animation_flattened'
  | 'alpha_flattened'
  | 'metadata_dropped'
  | 'color_converted'
  | 'truncated_source'
  | 'preview_used'
  | 'no_faces_found'
  | 'low_confidence'
  | 'preset_unverified'
  | 'watermark_shrunk';

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
