/** Expands the entities that a document declares, within limits. */
import { corruptImage } from '../errors.ts';
import { MAX_MARKUP, markupTooLarge } from './markup.ts';
import { SVG_NAME } from './name.ts';

/**
 * Maximum depth of entities within entities. Editors write none. A few levels of ten each expand one word to a billion.
 */
const MAX_NESTING = 10;
/** A reference by name, or the start of a section without references. */
const REFERENCE = /&([^\s&;<>"'#]{1,200});|<!--|<!\[CDATA\[/g;
const ENDS: Readonly<Record<string, string>> = { '<!--': '-->', '<![CDATA[': ']]>' };

/**
 * Expands declared entities. The five entities of XML itself and undeclared ones are kept.
 * @throws Failure `image_too_large` when the text becomes too long, `corrupt_image` when an entity contains itself
 */
export const expandEntities = (markup: string, entities: ReadonlyMap<string, string>): string =>
  entities.size === 0 ? markup : new Expander(entities).expand(markup, 0);

class Expander {
  readonly #entities: ReadonlyMap<string, string>;
  /** Each entity is expanded once, so that the length of the result bounds the work. */
  readonly #expanded = new Map<string, string>();
  #charactersLeft = MAX_MARKUP;

  constructor(entities: ReadonlyMap<string, string>) {
    this.#entities = entities;
  }

  expand(text: string, nesting: number): string {
    if (nesting > MAX_NESTING) throw corruptImage(SVG_NAME, 'entities within entities');
    const reference = new RegExp(REFERENCE);
    let expanded = '';
    let copied = 0;
    for (let found = reference.exec(text); found; found = reference.exec(text)) {
      const [syntax, name] = found;
      const end = ENDS[syntax];
      if (end !== undefined) {
        const at = text.indexOf(end, reference.lastIndex);
        if (at === -1) break;
        reference.lastIndex = at;
      } else if (name !== undefined && this.#entities.has(name)) {
        expanded += text.slice(copied, found.index) + this.#value(name, nesting);
        copied = reference.lastIndex;
      }
    }
    return expanded + text.slice(copied);
  }

  #value(name: string, nesting: number): string {
    const value = this.#expanded.get(name) ?? this.expand(this.#entities.get(name)!, nesting + 1);
    this.#expanded.set(name, value);
    this.#charactersLeft -= value.length;
    if (this.#charactersLeft < 0) throw markupTooLarge();
    return value;
  }
}
