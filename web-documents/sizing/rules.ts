/**
 * Reads the rules of a style sheet that can change the displayed size of an image. Conditions (`@media`, `@container`,
 * `@supports`, `@layer`, `@scope`) count as met, because some window meets them.
 */
import { effectsOf, type SizingEffect } from './effects.ts';
import { type ElementSelector, parseSelectors } from './selectors.ts';
import { parseDeclaration, readStatements, type StatementHandler } from './statements.ts';

export interface SizingRule {
  selectors: readonly ElementSelector[];
  effects: readonly SizingEffect[];
}

export interface SizingRules {
  rules: SizingRule[];
  /** Whether keyframes of the style sheet change sizes. */
  animates: boolean;
}

const MAX_RULES = 5000;
const MAX_NESTING = 100;

const KEYFRAMES = /^@(?:-[a-z]+-)?keyframes\b/i;
/** At-rules whose declarations do not style elements. */
const DESCRIPTORS =
  /^@(?:font-face|page|property|counter-style|font-feature-values|font-palette-values|view-transition|color-profile)\b/i;
const CUSTOM_PROPERTY = /^--[^\s:]*\s*:/;
/** Tags of elements that show an image of a reference. For other elements, only effects on their content matter. */
const IMAGE_TAGS: ReadonlySet<string> = new Set([
  'img',
  'amp-img',
  'amp-anim',
  'video',
  'input',
  'object',
  'embed',
  'image',
]);
const REACHES_INSIDE: ReadonlySet<string> = new Set(['scale', 'stretch', 'animation']);

interface Block {
  /** The selectors of the rule, or of the rule around a condition; undefined outside of rules. */
  selectors: readonly ElementSelector[] | undefined;
  kind: 'rule' | 'condition' | 'keyframes' | 'descriptors';
  effects: SizingEffect[];
}

/**
 * Reads the rules of a style sheet; undefined if there are too many.
 * @param found rules of the same page, to which the new ones are added
 */
export function readSizingRules(
  css: string,
  found: SizingRules = { rules: [], animates: false },
): SizingRules | undefined {
  const reader = new RuleReader(found);
  readStatements(css, reader);
  return reader.end();
}

/** Effects of the declarations of a style attribute. */
export function readSizingStyle(style: string): SizingEffect[] {
  // Brackets in a style attribute do not close the rule.
  const found = readSizingRules(`*{${style.replaceAll(/[{}]/g, ' ')}}`);
  return found ? found.rules.flatMap(({ effects }) => effects) : [['grow', null, true]];
}

class RuleReader implements StatementHandler {
  readonly #found: SizingRules;
  readonly #blocks: Block[] = [];
  #isTooMuch = false;

  constructor(found: SizingRules) {
    this.#found = found;
  }

  end(): SizingRules | undefined {
    // The end of the text closes all blocks.
    while (this.#blocks.length > 0) this.#keep(this.#blocks.pop()!);
    return this.#isTooMuch ? undefined : this.#found;
  }

  open(prelude: string): void {
    const around = this.#blocks.at(-1);
    if (this.#blocks.length >= MAX_NESTING) this.#isTooMuch = true;
    this.#blocks.push({ ...this.#blockOf(prelude, around), effects: [] });
  }

  #blockOf(prelude: string, around: Block | undefined): Omit<Block, 'effects'> {
    if (around?.kind === 'keyframes' || around?.kind === 'descriptors') return around;
    if (DESCRIPTORS.test(prelude) || CUSTOM_PROPERTY.test(prelude))
      return { kind: 'descriptors', selectors: undefined };
    if (KEYFRAMES.test(prelude)) return { kind: 'keyframes', selectors: undefined };
    if (prelude.startsWith('@')) return { kind: 'condition', selectors: around?.selectors };
    return { kind: 'rule', selectors: this.#isTooMuch ? [] : parseSelectors(prelude, around?.selectors) };
  }

  close(): void {
    const block = this.#blocks.pop();
    if (block) this.#keep(block);
  }

  #keep({ selectors, kind, effects }: Block): void {
    if (effects.length === 0) return;
    if (kind === 'keyframes') this.#found.animates = true;
    if (!selectors || kind === 'keyframes' || kind === 'descriptors') return;
    const reaching = effects.some(([effect]) => REACHES_INSIDE.has(effect));
    const matching = reaching ? selectors : selectors.filter(({ tag }) => tag === undefined || IMAGE_TAGS.has(tag));
    if (matching.length === 0) return;
    if (this.#found.rules.length >= MAX_RULES) this.#isTooMuch = true;
    else this.#found.rules.push({ selectors: matching.map(({ tag: _, ...selector }) => selector), effects });
  }

  statement(text: string): void {
    const block = this.#blocks.at(-1);
    const declaration = block && parseDeclaration(text);
    if (declaration) block.effects.push(...effectsOf(declaration.name, declaration.value));
  }
}
