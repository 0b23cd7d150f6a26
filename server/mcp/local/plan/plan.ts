/** A plan: what an apply would change, to the byte. Plans live in the memory of the process that has shown them. */
import type { FileState } from '../files.ts';
import type { MarkupFixKind, MarkupSkipReason } from '../markup/fix.ts';
import type { Reason } from '../references/reference.ts';
import type { FallbackReason } from './picture-fallbacks.ts';

export const STRATEGIES = ['swap', 'picture'] as const;
export type Strategy = (typeof STRATEGIES)[number];

/** `markup`: attributes of `img` elements, no addresses. */
export type PlanStrategy = Strategy | 'markup';

export interface Edit {
  /** UTF-16 offsets of the text before. */
  start: number;
  end: number;
  before: string;
  after: string;
  /** From 1, of the text before. */
  line: number;
  column: number;
  /** Of the replaced image; null where none is replaced. */
  seq: number | null;
  confidence: number;
  /** The files that the edited place leads to, relative to the root: several in the `srcset` of a `picture`, none of other hosts. */
  targets: readonly string[];
}

export interface PlannedFile {
  path: string;
  before: FileState;
  /** In their order; none touches another. */
  edits: Edit[];
}

export interface AddedImage {
  path: string;
  /** Where its bytes are, relative to the root. */
  from: string;
  bytes: number;
  sha256: string;
  width: number | undefined;
  height: number | undefined;
}

export interface RemovedImage {
  path: string;
  before: FileState;
}

export interface SkippedReference {
  file: string;
  line: number;
  raw: string;
  reason: SkipReason | MarkupSkipReason;
  seq: number | null;
  /** What was to be repaired. */
  kind?: MarkupFixKind;
  /** What stands against it. */
  because?: string;
}

/**
 * `excluded`: by the arguments of the preview. `page_not_scanned`: the new file has the size at which scanned pages show the
 * image, this place is on none of them, and no larger file is smaller than the original.
 */
export type SkipReason = Reason | 'excluded' | 'page_not_scanned';

/** An image of strategy `picture` whose address is swapped instead. */
export interface PictureFallback {
  file: string;
  line: number;
  raw: string;
  reason: FallbackReason;
  /** What stands against the `picture`, with its place. */
  because: string;
}

/** A source with references to resized images that is, as far as is known, no page that the scan has seen. */
export interface UnscannedSource {
  file: string;
  /** The path of its page on the site, where its place in the project tells. */
  page: string | null;
  references: number;
}

export interface PlannedMarkup {
  kinds: readonly MarkupFixKind[];
  /** Images without `alt`, for which somebody has to say what they show. */
  needsWords: { image: string; page: string; places: string[] }[];
  /** Images that words were given for, of which no place lacks them. */
  unusedWords: string[];
}

export interface Plan {
  id: string;
  packageId: string;
  createdAt: string;
  strategy: PlanStrategy;
  files: PlannedFile[];
  added: AddedImage[];
  removed: RemovedImage[];
  skipped: SkippedReference[];
  fallbacks: PictureFallback[];
  /** They have the files that are as large as the originals. */
  unscanned: UnscannedSource[];
  /** Of the images that are replaced, by number: the original, its bytes and those of the new file. */
  replaced: Map<number, { from: string; fromBytes: number; toBytes: number }>;
  /** Images of the package for which nothing is edited. */
  notDone: { seq: number; from: string; reason: string }[];
  /** Of strategy `markup`. */
  markup: PlannedMarkup | null;
  status: 'previewed' | 'applied' | 'rolled_back';
  backupId: string | null;
}

/** How many edits a plan has. */
export function editsOf({ files }: Pick<Plan, 'files'>): number {
  return files.reduce((sum, { edits }) => sum + edits.length, 0);
}
