/** Adds the images that the elements of a page show, with the facts of their elements. */
import { hasImageExtension } from './address.ts';
import { keyword, textOf } from './attributes.ts';
import { displayedSize } from './displayed-size.ts';
import type { ElementStack } from './element-stack.ts';
import { declaredFacts, displayFacts, hasSides, lacksDimensions, srcsetOf } from './image-attributes.ts';
import type { Attributes } from './markup.ts';
import type { NameList } from './names.ts';
import type { PageLinks } from './page-links.ts';
import type { PageReferences } from './page-references.ts';
import type { ReferenceRole } from './reading.ts';
import { MAX_REFERENCES, type ReferenceFacts } from './references.ts';
import type { PageElements } from './sizing/elements.ts';
import type { PageScripts } from './sizing/scripts.ts';

/** What the images of a page belong to. */
interface PageParts {
  references: PageReferences;
  links: PageLinks;
  elements: ElementStack;
  sizedElements: PageElements;
  scripts: PageScripts;
}

export class PageImages {
  readonly #references: PageReferences;
  readonly #links: PageLinks;
  readonly #elements: ElementStack;
  readonly #sizedElements: PageElements;
  readonly #scripts: PageScripts;
  /** `source` elements of a `picture`, until its `img` gives the other facts. */
  #pictureSources: Attributes[] = [];
  #count = 0;

  constructor({ references, links, elements, sizedElements, scripts }: PageParts) {
    this.#references = references;
    this.#links = links;
    this.#elements = elements;
    this.#sizedElements = sizedElements;
    this.#scripts = scripts;
  }

  /** Number of `img` elements, without those in `noscript`. */
  get count(): number {
    return this.#count;
  }

  image(attributes: Attributes, names: NameList): void {
    const inNoscript = this.#elements.inNoscript;
    const element = this.#sizedElement('img', attributes, names);
    const alt = textOf(attributes, 'alt');
    if (!inNoscript) this.#count++;
    const start = this.#references.list.length;
    if (this.#elements.parent === 'picture') this.endPicture(attributes, element);
    const first = this.#references.list.length;
    this.#addImage('img', attributes, {
      element,
      alt,
      loading: textOf(attributes, 'loading'),
      imageNumber: inNoscript ? null : this.#count,
      // Images in `noscript` only stand in for another element and are not judged.
      lacksDimensions: !inNoscript && lacksDimensions(attributes),
      lacksAlt: !inNoscript && alt === null,
      lazy: keyword(attributes, 'loading') === 'lazy' || this.#references.hasLazyAttribute(attributes),
    });
    // A browser shows only one of a picture's candidates.
    const offered = this.#references.list.slice(start).filter(({ role }) => role !== 'lazy_attribute');
    if (first > start) for (const reference of offered) reference.candidates = offered.length;
    if (!inNoscript) this.#links.addImage(alt, this.#references.list.slice(first));
  }

  ampImage(name: string, attributes: Attributes, names: NameList): void {
    const element = this.#sizedElement(name, attributes, names);
    this.#addImage(name, attributes, { element, alt: textOf(attributes, 'alt'), lazy: true });
  }

  /** Takes a `source` element, which counts only in a `picture`. */
  source(attributes: Attributes): void {
    if (this.#elements.parent === 'picture' && this.#pictureSources.length < MAX_REFERENCES)
      this.#pictureSources.push(attributes);
  }

  /**
   * Adds the candidates of the open `picture`.
   * @param image attributes of the `img`, which comes last; undefined if there is none
   */
  endPicture(image?: Attributes, element: number | null = null): void {
    for (const attributes of this.#pictureSources) {
      const candidates = srcsetOf(attributes, 'srcset');
      const facts = {
        media: textOf(attributes, 'media'),
        sizes: textOf(attributes, 'sizes'),
        type: textOf(attributes, 'type'),
        ...declaredFacts(hasSides(attributes) ? attributes : (image ?? attributes)),
        element,
      };
      const displayed = displayedSize(displayFacts(attributes, image ?? attributes, candidates, facts.sizes));
      this.#references.addCandidates('picture_source', 'source', attributes, 'srcset', candidates, displayed, {
        ...facts,
        imageNumber: image && !this.#elements.inNoscript ? this.#count : null,
        candidates: Math.max(1, candidates.length),
      });
      this.#references.addLazy('source', attributes, facts, image ?? attributes);
    }
    this.#pictureSources = [];
  }

  /** Adds the image of an element whose size its attributes may declare. */
  addSized(role: ReferenceRole, tag: string, attributes: Attributes, names: NameList, attribute: string): void {
    this.#references.add(role, tag, attributes, attribute, {
      element: this.#sizedElement(tag, attributes, names),
      alt: textOf(attributes, 'alt'),
      ...declaredFacts(attributes),
      displayed: displayedSize(displayFacts(attributes, attributes, [], null)),
    });
  }

  /**
   * Adds an embedded image. Any file can be embedded; images are recognised by their type, otherwise by their
   * extension.
   */
  addEmbedded(tag: string, attributes: Attributes, names: NameList, attribute: string): void {
    const type = keyword(attributes, 'type');
    const facts = {
      type: textOf(attributes, 'type'),
      ...declaredFacts(attributes),
      displayed: displayedSize(displayFacts(attributes, attributes, [], null)),
      element: this.#sizedElement(tag, attributes, names),
    };
    if (type !== undefined && !type.startsWith('image/')) return;
    const accepts = type === undefined ? hasImageExtension : undefined;
    this.#references.add('object_data', tag, attributes, attribute, facts, accepts);
  }

  /** Adds `src`, `srcset` and the attributes that a script moves there later. */
  #addImage(tag: string, attributes: Attributes, facts: Partial<ReferenceFacts>): void {
    if (this.#references.full) return;
    const role = tag === 'img' ? 'img_src' : 'amp_img';
    const candidates = srcsetOf(attributes, 'srcset');
    const sizes = textOf(attributes, 'sizes');
    const displayed = displayedSize(displayFacts(attributes, attributes, candidates, sizes));
    const all = { ...facts, sizes, ...declaredFacts(attributes) };
    const src = this.#references.add(role, tag, attributes, 'src', { ...all, displayed });
    const first = this.#references.list.length;
    const listRole = tag === 'img' ? 'img_srcset' : role;
    this.#references.addCandidates(listRole, tag, attributes, 'srcset', candidates, displayed, all);
    const listed = this.#references.list.slice(first);
    const count = candidates.length + (src && !listed.some(({ url }) => url === src.url) ? 1 : 0);
    for (const reference of src ? [src, ...listed] : listed) reference.candidates = count;
    this.#references.addLazy(tag, attributes, all, attributes);
  }

  #sizedElement(name: string, attributes: Attributes, names: NameList): number | null {
    const onload = attributes.get('onload')?.text;
    if (onload !== undefined) this.#scripts.handler(onload);
    return this.#sizedElements.image(name, names, textOf(attributes, 'style'));
  }
}
