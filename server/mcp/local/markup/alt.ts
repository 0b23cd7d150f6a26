/** `alt` of images, in words that somebody gives who has seen them. */
import type { MarkupPlace } from '../../../sites/package/markup-places.ts';
import type { ImageElement } from '../readers/image-element.ts';
import type { Fix } from './fix.ts';

/** What an image shows; '' for decoration. */
export interface Words {
  /** Its address, or its path in the project. */
  image: string;
  words: string;
}

/** Words by what they were given for; takes note of which were asked for. */
export class GivenWords {
  readonly #words: ReadonlyMap<string, string>;
  readonly #used = new Set<string>();

  constructor(given: readonly Words[]) {
    this.#words = new Map(given.map(({ image, words }) => [image, words]));
  }

  /** @param names of the image, the best first */
  of(names: readonly (string | undefined)[]): string | undefined {
    const name = names.find((each) => each !== undefined && this.#words.has(each));
    if (name === undefined) return undefined;
    this.#used.add(name);
    return this.#words.get(name);
  }

  get unused(): string[] {
    return [...this.#words.keys()].filter((image) => !this.#used.has(image));
  }
}

/**
 * @param places of the scan that it may be
 * @param words undefined where nobody has given any
 */
export function fixAlt(
  { attributes, hasUnknownAttributes }: ImageElement,
  places: readonly MarkupPlace[],
  words: () => string | undefined,
): Fix | 'needs_words' {
  if (attributes.get('alt') === '' && places.some(({ findings }) => findings.includes('missing_alt')))
    return { reason: 'empty_alt' };
  if (attributes.has('alt')) return 'nothing_missing';
  if (hasUnknownAttributes) return { reason: 'unknown_attributes' };
  const given = words();
  return given === undefined ? 'needs_words' : { attributes: [['alt', given]] };
}
