/** `img` elements of a source, for adding attributes. */
import type { NameList } from '../../web-documents/names.ts';
import type { Range } from '../../web-documents/source-text.ts';
import type { Reason } from './candidate.ts';

/** The range is the tag's, including its brackets. */
export interface ImageElement extends Range {
  /** Offset after the tag name, where an attribute with a leading space can be inserted. */
  insertAt: number;
  /**
   * Values by lower-case name, without binding syntax and with character references resolved. Undefined if an
   * expression determines the value.
   */
  attributes: ReadonlyMap<string, string | undefined>;
  /** Whether an expression may add further attributes. */
  hasUnknownAttributes: boolean;
  /** Whether its parent is a `picture`. */
  hasPicture: boolean;
  /** Names (see `namesOf`) of the parent element; undefined if unknown. */
  parent?: NameList;
  /** Why it must not be edited. */
  reason?: Reason;
}

/** Prefixes and suffixes with which frameworks bind an attribute to an expression. */
const BINDING = /^(?::|v-bind:|x-bind:|bind:|\[(?:attr\.)?)|[\].].*$/g;
/** Syntax that sets attributes from an object. */
const SPREAD = /^(?:v-bind|x-bind|ng-attr.*|bind|\{.*|\.\.\..*)?$/;

/**
 * Returns an attribute name without binding syntax: `:width.prop`, `v-bind:width` and `[attr.width]` become `width`.
 * @param written in lower case
 */
export const attributeName = (written: string): string => written.replaceAll(BINDING, '');

/** Whether a text in place of an attribute may add any attributes. @param written in lower case, without expressions */
export const isSpread = (written: string): boolean => SPREAD.test(written);
