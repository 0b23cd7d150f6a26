/** Types for references of a project to images of a package (docs/spec/shapes.md, section 18.5). */
import type { Replacement } from '../../replacement-package/replacement.ts';
import type { ProjectFile } from '../project/walk.ts';
import type { Candidate, Reason as PlaceReason } from '../readers/candidate.ts';

/** Kinds of matches between the project and images of the package, with their confidence. */
export const CONFIDENCES = {
  content: 1,
  url: 1,
  path: 0.95,
  public_dir: 0.9,
  relative: 0.9,
  alias: 0.85,
  hashed_name: 0.6,
  basename: 0.3,
} as const;

export type Match = keyof typeof CONFIDENCES;

/** Minimum confidence for an edit. */
export const MIN_CONFIDENCE = 0.85;

export const REASONS = [
  'dynamic',
  'framework_optimizes',
  'comment',
  'code_block',
  'test_or_story',
  'email_template',
  'social_image',
  'generated',
  'unsupported_type',
  'low_confidence',
  'ambiguous',
  'original_missing',
] as const satisfies readonly (PlaceReason | NonNullable<ProjectFile['reason']> | string)[];

/**
 * Why a reference is not edited. `original_missing`: the image is not in the project, so the new file has no folder.
 */
export type Reason = (typeof REASONS)[number];

export interface Reference {
  file: string;
  candidate: Candidate;
  line: Replacement;
  match: Match;
  confidence: number;
  /** The project image, relative to the root. */
  image: string | undefined;
  /** Whether the image's name is used as written, without percent-decoding. */
  isLiteral: boolean;
  reason: Reason | undefined;
  /** Whether the reason applies to the whole file. Then including the file explicitly overrides it. */
  isFileReason: boolean;
}

export interface FoundImage extends Pick<Reference, 'file' | 'match' | 'confidence'> {
  seq: number;
}
