/** Finds the parent elements of the images in a plain HTML page. */
import { ElementStack } from '../../web-documents/element-stack.ts';
import { TEXT_ELEMENTS } from '../../web-documents/image-elements.ts';
import { type Attributes, Markup, type MarkupHandler } from '../../web-documents/markup.ts';
import { type NameList, namesOf } from '../../web-documents/names.ts';
import { PageElements } from '../../web-documents/sizing/elements.ts';
import type { Range } from '../../web-documents/source-text.ts';
import { hasTemplateTags, isPlainPage } from '../project/plain-page.ts';

/**
 * By the offset of the image: the names (see `nameNumber`) of the elements that may be its parent. There may be
 * several, because end tags may be missing.
 */
type ImageParents = ReadonlyMap<number, readonly NameList[]>;

const WANTED: ReadonlySet<string> = new Set(['class', 'id', 'shadowrootmode']);

/** The parents of the images of each page, found once. */
export class PageParents {
  readonly #known = new Map<string, ImageParents>();

  of(path: string, text: string): ImageParents {
    const known = this.#known.get(path);
    if (known) return known;
    const parents = isPlainPage(path) && !hasTemplateTags(text) ? parentsOfImages(text) : new Map();
    this.#known.set(path, parents);
    return parents;
  }
}

function parentsOfImages(html: string): ImageParents {
  const reader = new ParentReader(/<body[\s>]/i.test(html));
  new Markup(html, reader, false).read();
  return reader.parents();
}

class ParentReader implements MarkupHandler {
  readonly #hasBody: boolean;
  readonly #stack = new ElementStack();
  readonly #elements = new PageElements();
  /** Numbers of the image elements, by offset. */
  readonly #images = new Map<number, number>();
  #raw: string | undefined;

  /** @param hasBody if false, the text may be a part of a page, with unknown elements around it */
  constructor(hasBody: boolean) {
    this.#hasBody = hasBody;
  }

  wants(attribute: string): boolean {
    return WANTED.has(attribute);
  }

  foreign(): boolean {
    return this.#stack.foreign;
  }

  open(name: string, attributes: Attributes, empty: boolean, { start }: Range): void {
    if (this.#raw !== undefined) return;
    this.#stack.leaveForeign(name);
    const names = namesOf(name, attributes.get('id')?.text ?? null, attributes.get('class')?.text ?? null);
    if (name === 'img' && !this.#stack.foreign) {
      const seq = this.#elements.image(name, names, null);
      if (seq !== null) this.#images.set(start, seq);
    }
    if (empty) return;
    this.#elements.open(name, names, null);
    this.#stack.open(name, attributes.has('shadowrootmode'));
    if (!this.#stack.foreign && TEXT_ELEMENTS.has(name)) this.#raw = name;
  }

  close(name: string): void {
    if (this.#raw !== undefined && this.#raw !== name) return;
    this.#raw = undefined;
    this.#elements.close(name);
    this.#stack.close(name);
  }

  parents(): ImageParents {
    const all = this.#elements.all;
    const found = new Map<number, readonly NameList[]>();
    for (const [start, seq] of all ? this.#images : []) {
      const parents: NameList[] = [];
      let at = all![seq]!.parent;
      let isKnown = true;
      for (; at !== null; at = all![at]!.parent) {
        const { names, isLoose, isCustom } = all![at]!;
        // Scripts may wrap the content of a custom element in other elements.
        if (isCustom) isKnown = false;
        parents.push(names);
        if (!isLoose) break;
      }
      // The outermost element is the body. Without a body tag the real parent is unknown.
      const isOutermost = at !== null && all![at]!.parent !== null && all![all![at]!.parent!]!.parent === null;
      if (isKnown && (this.#hasBody || !isOutermost)) found.set(start, parents);
    }
    return found;
  }
}
