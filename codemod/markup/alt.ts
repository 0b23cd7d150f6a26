/** Adds `alt` to images, with texts from somebody who has seen the images. */
import type { MarkupPlace } from '../../replacement-package/markup-place.ts';
import type { ImageElement } from '../readers/image-element.ts';
import type { Fix } from './fix.ts';

/** The alt text of an image; empty for decoration. */
export interface AltText {
  /** URL of the image, or its path in the project. */
  image: string;
  words: string;
}

/** The given alt texts by image. Records which were used. */
export class AltTexts {
  readonly #words: ReadonlyMap<string, string>;
  readonly #used = new Set<string>();

  constructor(given: readonly AltText[]) {
    this.#words = new Map(given.map(({ image, words }) => [image, words]));
  }

  /** @param names names of the image, in order of preference */
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
 * @param places places of the scan that the element may be
 * @param words returns the alt text, or undefined if none was given
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
