/** References of a project to images of a package (spec/shapes.md, section 18.5). */
import type { Replacement } from '../../../sites/package/mapping.ts';
import type { ProjectFile } from '../project/walk.ts';
import type { Candidate, Reason as PlaceReason } from '../readers/candidate.ts';

/** How something of the project was recognised as an image of the package, and how certain that is. */
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

/** Edited without being asked about one by one. */
export const LEAST_CONFIDENCE = 0.85;

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

/** Why a reference is not edited. `original_missing`: the image is not in the project, so there is no place for the new one. */
export type Reason = (typeof REASONS)[number];

export interface Reference {
  file: string;
  candidate: Candidate;
  line: Replacement;
  match: Match;
  confidence: number;
  /** The image of the project, relative to the root. */
  image: string | undefined;
  /** The image has the name as it is written, not as percent-encoding. */
  isLiteral: boolean;
  reason: Reason | undefined;
  /** The reason is that of the file: naming the file takes it away. */
  isFileReason: boolean;
}

export interface FoundImage {
  seq: number;
  file: string;
  match: Match;
  confidence: number;
}
