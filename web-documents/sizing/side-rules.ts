/**
 * Reads the rules of a style sheet that decide whether an `img` looks the same once it has width and height attributes.
 * Conditions (`@media`, `@supports`, `@layer`) count as met.
 */
import { type ElementSelector, parseSelectors } from './selectors.ts';
import { parseDeclaration, readStatements, type StatementHandler } from './statements.ts';

/**
 * - `across`: sets the width, so a height attribute would distort the image.
 * - `narrower`: the same, and the width is never larger than without it.
 * - `natural-width`: the width is that of the file, whatever an attribute says.
 * - `down`: sets or limits the height.
 * - `auto-height`: the height follows from the width, whatever an attribute says.
 * - `container`: direct children may be stretched.
 * - `other`: sets a size or ratio in another way.
 */
export type SideEffect = 'across' | 'narrower' | 'natural-width' | 'down' | 'auto-height' | 'container' | 'other';

export interface SideRule {
  /** The elements that it may match. */
  selectors: readonly ElementSelector[];
  effects: ReadonlySet<SideEffect>;
  /** Simple selectors without ancestors: the rule applies to all their elements in every window. */
  certain: readonly ElementSelector[];
}

const MAX_RULES = 5000;
const MAX_NESTING = 100;

const NON_ELEMENT_AT_RULES =
  /^@(?:-[a-z]+-)?(?:keyframes|font-face|page|property|counter-style|font-feature-values|font-palette-values)\b/i;
/** A selector of one element by its tag, a class or both. */
const SIMPLE = /^(?:img|\*|(?:img)?\.[a-z][\w-]*)$/i;

const UNSET = /^(?:auto|none|initial|unset|revert|revert-layer|normal|0(?:px|%)?)$/;
const AUTO = /^(?:auto|initial|unset|revert|revert-layer)$/;
/** Values that depend on the content: for an image, on the width of its file. */
const CONTENT_SIZED = /content|stretch|available/;
const IMPORTANT = /\s*!\s*important\s*$/i;
const VENDOR_PREFIX = /^-(?:webkit|moz|ms)-/;

const unless = (effect: SideEffect, harmless: RegExp) => (value: string) => (harmless.test(value) ? undefined : effect);

/** Effects by property, without vendor prefix. */
const PROPERTIES: Readonly<Record<string, (value: string) => SideEffect | undefined>> = {
  width: (value) => (AUTO.test(value) ? 'natural-width' : 'across'),
  'max-width': (value) => {
    if (UNSET.test(value)) return undefined;
    return CONTENT_SIZED.test(value) ? 'across' : 'narrower';
  },
  'min-width': unless('across', UNSET),
  height: (value) => (value === 'auto' ? 'auto-height' : AUTO.test(value) ? undefined : 'down'),
  'max-height': unless('down', UNSET),
  'min-height': unless('down', UNSET),
  'inline-size': (value) => (AUTO.test(value) ? 'natural-width' : 'other'),
  'block-size': unless('other', AUTO),
  'max-inline-size': unless('other', UNSET),
  'min-inline-size': unless('other', UNSET),
  'max-block-size': unless('other', UNSET),
  'min-block-size': unless('other', UNSET),
  'aspect-ratio': unless('other', /^(?:auto|initial|unset|revert)$/),
  'align-self': unless('other', /^(?:auto|initial|unset|revert|start|end|center|flex-start|flex-end|baseline)$/),
  'justify-self': unless('other', /^(?:auto|initial|unset|revert|start|end|center|normal)$/),
  'place-self': () => 'other',
  flex: () => 'other',
  'flex-basis': unless('other', AUTO),
  'flex-grow': unless('other', /^(?:0|initial|unset|revert)$/),
  'box-flex': () => 'other',
  'object-view-box': () => 'other',
  contain: unless('other', /^(?:none|paint|layout|style)$/),
  content: unless('other', /^(?:normal|none|"[^"]*"|'[^']*')$/),
  all: () => 'other',
  display: (value) => (/flex|grid|box|var\(/.test(value) && !/^inline-block$/.test(value) ? 'container' : undefined),
};

/** Reads the rules; undefined if there are too many. */
export function readSideRules(css: string): SideRule[] | undefined {
  const reader = new RuleReader();
  readStatements(css, reader);
  return reader.end();
}

interface Block {
  selectors: readonly ElementSelector[] | undefined;
  certain: readonly ElementSelector[];
  effects: Set<SideEffect>;
  isCondition: boolean;
}

class RuleReader implements StatementHandler {
  readonly #rules: SideRule[] = [];
  readonly #blocks: Block[] = [];
  #isTooMuch = false;

  end(): SideRule[] | undefined {
    // The end of the text closes all blocks.
    while (this.#blocks.length > 0) this.#keep(this.#blocks.pop()!);
    return this.#isTooMuch ? undefined : this.#rules;
  }

  open(prelude: string): void {
    const around = this.#blocks.at(-1);
    if (this.#blocks.length >= MAX_NESTING) this.#isTooMuch = true;
    const isCondition = prelude.startsWith('@');
    let selectors = around?.selectors;
    if (NON_ELEMENT_AT_RULES.test(prelude)) selectors = [];
    else if (!isCondition && selectors?.length !== 0)
      selectors = this.#isTooMuch ? [] : parseSelectors(prelude, around?.selectors);
    const certain = around || isCondition ? [] : simpleSelectors(prelude);
    this.#blocks.push({ selectors, certain, effects: new Set(), isCondition });
  }

  close(): void {
    const block = this.#blocks.pop();
    if (block) this.#keep(block);
  }

  #keep({ selectors, certain, effects }: Block): void {
    if (effects.size === 0 || !selectors || selectors.length === 0) return;
    if (this.#rules.length >= MAX_RULES) this.#isTooMuch = true;
    else this.#rules.push({ selectors, certain, effects });
  }

  statement(text: string): void {
    const block = this.#blocks.at(-1);
    const declaration = block && parseDeclaration(text);
    if (!declaration) return;
    const name = declaration.name.replace(VENDOR_PREFIX, '');
    const plain = declaration.value.replace(IMPORTANT, '').trim().toLowerCase();
    const effect = Object.hasOwn(PROPERTIES, name) ? PROPERTIES[name]!(plain) : undefined;
    if (effect) block.effects.add(effect);
  }
}

function simpleSelectors(prelude: string): ElementSelector[] {
  return prelude
    .split(',')
    .map((each) => each.trim())
    .filter((each) => SIMPLE.test(each))
    .flatMap((each) => {
      const names = each.replace('*', '').split('.').filter(Boolean).length;
      // Names of state classes are dropped, so such selectors are not certain.
      return parseSelectors(each).filter(({ own }) => own.length === names);
    });
}
