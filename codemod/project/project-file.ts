/** Types for the files that a walk finds. */

/** Why a source is not edited unless it is included explicitly. */
export type EditReason = 'test_or_story' | 'email_template' | 'generated';

export interface ProjectFile {
  /** Relative to the root, with `/`. */
  path: string;
  /** An SVG is listed twice, once as each kind. */
  kind: 'source' | 'image';
  bytes: number;
  /** Only for sources. */
  reason?: EditReason;
}

export type SkipReason =
  /** Ignored by git. */
  | 'ignored'
  /** A folder of build output. */
  | 'built'
  /** `.git`, `node_modules`, `vendor`, `.ic`. */
  | 'excluded'
  | 'link'
  /** A FIFO, a socket or a device. */
  | 'special'
  | 'unreadable'
  /** Nested deeper than the limit. */
  | 'too_deep'
  | 'lock_file'
  | 'secret'
  | 'minified'
  | 'too_large'
  | 'binary'
  | 'unknown_kind';

export interface SkippedFile {
  path: string;
  skipped: SkipReason;
  /** Whether it is a folder, skipped with all its contents. */
  folder: boolean;
}
