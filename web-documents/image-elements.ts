/**
 * Names of elements and attributes that control how a page is read, or that name images (docs/spec/shapes.md, section 16.2).
 */
import type { ReferenceRole } from '../base/reference-roles.ts';

/** Lazy attributes that hold lists. */
export const SRCSET_ATTRIBUTES: ReadonlySet<string> = new Set(['data-srcset', 'data-lazy-srcset']);
export const LAZY_ATTRIBUTES: readonly string[] = [
  'data-src',
  'data-srcset',
  'data-lazy',
  'data-lazy-src',
  'data-lazy-srcset',
  'data-original',
  'data-bg',
  'data-background',
  'data-background-image',
  'data-image',
  'data-hi-res-src',
  'data-flickity-lazyload',
  'lazy-src',
];
/** Elements whose content is only text. */
export const TEXT_ELEMENTS = new Set(['script', 'style', 'title', 'textarea', 'iframe', 'noembed', 'noframes']);
/** Text elements that also exist in SVG. */
export const FOREIGN_TEXT_ELEMENTS = new Set(['script', 'style']);
/** Elements whose `background` is an image. */
export const BACKGROUNDS = new Set(['body', 'table', 'thead', 'tbody', 'tfoot', 'tr', 'td', 'th']);
/** Values of `rel`. */
export const ICON_RELATIONS = new Set([
  'icon',
  'apple-touch-icon',
  'apple-touch-icon-precomposed',
  'apple-touch-startup-image',
  'mask-icon',
  'fluid-icon',
]);
/** `property` or `name` of `meta`, in lower case. */
export const META_ROLES: ReadonlyMap<string, ReferenceRole> = new Map([
  ['og:image', 'og_image'],
  ['og:image:url', 'og_image'],
  ['og:image:secure_url', 'og_image'],
  ['twitter:image', 'twitter_image'],
  ['twitter:image:src', 'twitter_image'],
  ['msapplication-tileimage', 'link_icon'],
]);
