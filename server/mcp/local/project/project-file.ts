/** What a walk tells of a file. Types only. */

/** Why a source is not edited unless somebody says so. */
export type EditReason = 'test_or_story' | 'email_template' | 'generated';

export interface ProjectFile {
  /** Relative to the root, with `/`. */
  path: string;
  /** An SVG is both, and comes once as each. */
  kind: 'source' | 'image';
  bytes: number;
  /** Of a source. */
  reason?: EditReason;
}

export type SkipReason =
  /** By git. */
  | 'ignored'
  /** A folder of what a build has written. */
  | 'built'
  /** `.git`, `node_modules`, `vendor`, `.ic`. */
  | 'excluded'
  | 'link'
  /** A FIFO, a socket, a device. */
  | 'special'
  | 'unreadable'
  /** Folders within folders, past all reason. */
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
  /** It is a folder with all that is in it. */
  folder: boolean;
}
