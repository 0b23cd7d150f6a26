/** A plan: the exact changes of an apply. Plans exist only in the memory of the process that made them. */
import { newId } from '../../base/id.ts';
import type { FileState } from '../files.ts';
import type { MarkupFixKind, MarkupSkipReason } from '../markup/fix.ts';
import type { Reason } from '../references/reference.ts';
import type { Fallback } from './picture-fallbacks.ts';

export const STRATEGIES = ['swap', 'picture'] as const;
export type Strategy = (typeof STRATEGIES)[number];

/** `markup`: adds attributes to `img` elements and replaces no addresses. */
export type PlanStrategy = Strategy | 'markup';

export interface Edit {
  /** UTF-16 offsets in the text before the edit. */
  start: number;
  end: number;
  before: string;
  after: string;
  /** From 1, in the text before the edit. */
  line: number;
  column: number;
  /** Number of the replaced image; null if none is replaced. */
  seq: number | null;
  confidence: number;
  /** Files that the edited place refers to, relative to the root: several for a `srcset`, none on other hosts. */
  targets: readonly string[];
}

export interface PlannedFile {
  path: string;
  before: FileState;
  /** In order, without overlaps. */
  edits: Edit[];
}

export interface AddedImage {
  path: string;
  /** Path of its content, relative to the root. */
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
  /** The markup fix that was skipped. */
  kind?: MarkupFixKind;
  /** What conflicts with the edit. */
  because?: string;
}

/**
 * `excluded`: by the arguments of the preview. `page_not_scanned`: the new file was resized for scanned pages, this
 * place is on none of them, and no full-size file is smaller than the original.
 */
export type SkipReason = Reason | 'excluded' | 'page_not_scanned';

/** An image of the strategy `picture` whose address is replaced instead. */
export interface PictureFallback extends Fallback {
  file: string;
  line: number;
  raw: string;
}

/** A source that references resized images and, as far as known, is not a scanned page. */
export interface UnscannedSource {
  file: string;
  /** Path of its page on the site, if it follows from the file's location. */
  page: string | null;
  references: number;
}

export interface PlannedMarkup {
  kinds: readonly MarkupFixKind[];
  /** Images without `alt`, which need an alt text from somebody. */
  needsWords: { image: string; page: string; places: string[] }[];
  /** Images whose given alt text was not used, because no place lacks it. */
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
  /** These use the files that have the size of the originals. */
  unscanned: UnscannedSource[];
  /** The replaced images by number: the original's URL, its bytes and the new file's bytes. */
  replaced: Map<number, { from: string; fromBytes: number; toBytes: number }>;
  /** Images of the package without any edit. */
  notDone: { seq: number; from: string; reason: string }[];
  /** For the strategy `markup`. */
  markup: PlannedMarkup | null;
  status: 'previewed' | 'applied' | 'rolled_back';
  backupId: string | null;
}

/** A plan without edits. */
export function newPlan(packageId: string, strategy: PlanStrategy): Plan {
  return {
    id: newId('plan'),
    packageId,
    createdAt: new Date().toISOString(),
    strategy,
    files: [],
    added: [],
    removed: [],
    skipped: [],
    fallbacks: [],
    unscanned: [],
    replaced: new Map(),
    notDone: [],
    markup: null,
    status: 'previewed',
    backupId: null,
  };
}

/** Number of edits in a plan. */
export const editsOf = ({ files }: Pick<Plan, 'files'>): number =>
  files.reduce((sum, { edits }) => sum + edits.length, 0);

interface TextEdit {
  /** UTF-16 offsets. */
  start: number;
  end: number;
  after: string;
}

/**
 * Applies edits to a text. If the source is valid UTF-8, all bytes outside the edits are preserved, including line
 * ends, the byte order mark and the end of the file.
 * @param edits in order, without overlaps
 */
export function applyEdits(text: string, edits: readonly TextEdit[]): string {
  const parts: string[] = [];
  let at = 0;
  for (const { start, end, after } of edits) {
    parts.push(text.slice(at, start), after);
    at = end;
  }
  parts.push(text.slice(at));
  return parts.join('');
}
