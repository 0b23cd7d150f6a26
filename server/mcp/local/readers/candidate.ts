/** Places of a source that may name an image. Types only. */
import type { ReferenceRole } from '../../../../base/reference-roles.ts';
import type { Range } from '../../../../engine/documents/source-text.ts';

/**
 * Why a place is not edited, as far as the place itself says it (spec/shapes.md, section 18.5). `unsupported_type`: an address in
 * a kind of file, an encoding or a place of which no reader knows how addresses are written there.
 */
export type Reason = 'dynamic' | 'framework_optimizes' | 'comment' | 'code_block' | 'social_image' | 'unsupported_type';

/**
 * The role that the place has on the page where it tells one (spec/shapes.md, section 16.2), else how it stands in its source:
 * an `import` of a script, a `string` of a program, a value of a `data` file, a string inside the tag of a `template` language,
 * or in plain `text`.
 */
export type CandidateKind = ReferenceRole | 'import' | 'string' | 'data' | 'template' | 'text';

export interface Candidate extends Range {
  /** What stands between `start` and `end`, UTF-16 offsets: the address alone, without quotes and descriptors. */
  raw: string;
  /**
   * What it reads as: character references and escapes resolved, percent-encoding kept. Of `dynamic` ones the expressions stand
   * in it as they are written.
   */
  address: string;
  kind: CandidateKind;
  /**
   * How an address is written in this place. Characters that the place cannot hold in any other way are percent-encoded.
   * @throws nothing
   */
  encode(address: string): string;
  reason?: Reason;
  /** Of a place in an `img` of HTML; the same object for all places of one `img`. */
  image?: ImageTag;
}

/** An `img` as it is written: what a `picture` around it takes. */
export interface ImageTag extends Range {
  /** A `picture` is around it already. */
  hasPicture: boolean;
  /** By their names in lower case. */
  attributes: ReadonlyMap<string, TagAttribute>;
}

/** Offsets are of the value as it is written, without quotes. */
export interface TagAttribute extends Range {
  /** With character references resolved. */
  value: string;
}
