/** `img` elements as a source writes them, for edits of their attributes. */
import type { NameList } from '../../../../engine/documents/names.ts';
import type { Range } from '../../../../engine/documents/source-text.ts';
import type { Reason } from './candidate.ts';

/** The range is that of the tag, with its brackets. */
export interface ImageElement extends Range {
  /** Where an attribute can be written, with a space before it: behind the name of the tag. */
  insertAt: number;
  /**
   * By their names in lower case, without what binds them to an expression: values with character references resolved; undefined
   * where an expression makes the value.
   */
  attributes: ReadonlyMap<string, string | undefined>;
  /** An expression may bring further attributes. */
  hasUnknownAttributes: boolean;
  /** A `picture` is directly around it. */
  hasPicture: boolean;
  /** Names, as of `namesOf`, of the element directly around it; undefined where they are not known. */
  parent?: NameList;
  /** Why it is not to be edited. */
  reason?: Reason;
}

/** What frameworks write before and behind the name of an attribute that is bound to an expression. */
const BINDING = /^(?::|v-bind:|x-bind:|bind:|\[(?:attr\.)?)|[\].].*$/g;
/** Attributes from an object. */
const SPREAD = /^(?:v-bind|x-bind|ng-attr.*|bind|\{.*|\.\.\..*)?$/;

/**
 * The name of an attribute without what binds it: `:width.prop`, `v-bind:width` and `[attr.width]` are `width`.
 * @param written in lower case
 */
export function attributeName(written: string): string {
  return written.replaceAll(BINDING, '');
}

/** Whether what stands in the place of an attribute may bring any attributes. @param written in lower case, without expressions */
export function isSpread(written: string): boolean {
  return SPREAD.test(written);
}
