/** Types for the places of a source that may name an image. */
import type { ReferenceRole } from '../../base/reference-roles.ts';
import type { Range } from '../../web-documents/source-text.ts';

/**
 * Why a place cannot be edited, judged by the place itself (docs/spec/shapes.md, section 18.5). `unsupported_type`: the type
 * of file, the encoding or the place is one for which no reader knows how addresses are written.
 */
export type Reason = 'dynamic' | 'framework_optimizes' | 'comment' | 'code_block' | 'social_image' | 'unsupported_type';

/**
 * The role of the place on its page if known (docs/spec/shapes.md, section 16.2). Otherwise its kind in the source: an
 * `import` of a script, a `string` of a program, a value of a `data` file, a string inside a tag of a `template`
 * language, or plain `text`.
 */
export type CandidateKind = ReferenceRole | 'import' | 'string' | 'data' | 'template' | 'text';

export interface Candidate extends Range {
  /** The text between `start` and `end` (UTF-16 offsets): only the address, without quotes and descriptors. */
  raw: string;
  /**
   * The address with character references and escapes resolved and percent-encoding kept. If `dynamic`, it contains the
   * expressions as written.
   */
  address: string;
  kind: CandidateKind;
  /**
   * Encodes an address for this place. Characters that cannot be written there otherwise are percent-encoded.
   * @throws nothing
   */
  encode(address: string): string;
  reason?: Reason;
  /** For a place in an HTML `img`. All places of one `img` share the object. */
  image?: ImageTag;
}

/** An `img` as written, with what is needed to wrap it in a `picture`. */
export interface ImageTag extends Range {
  /** Whether it is already in a `picture`. */
  hasPicture: boolean;
  /** By lower-case name. */
  attributes: ReadonlyMap<string, TagAttribute>;
}

/** The offsets are those of the value as written, without quotes. */
export interface TagAttribute extends Range {
  /** With character references resolved. */
  value: string;
}
