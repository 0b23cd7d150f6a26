/** The kinds of places of a website that name an image (spec/shapes.md, section 16.2). */

/**
 * What such a place does with its image. `shown`: a browser loads it to show the page. `loaded`: it loads it for another place
 * to show. `opened`: it is there to be seen, and nothing loads it, because it takes a click or is in the document already.
 * `crawled`: crawlers, feed readers, mail programs or the tabs of browsers load it; not all of them know new formats.
 */
type ReferenceUse = 'shown' | 'loaded' | 'opened' | 'crawled';

const USES = {
  img_src: 'shown',
  img_srcset: 'shown',
  picture_source: 'shown',
  lazy_attribute: 'shown',
  noscript: 'shown',
  // Put there by a script, in a page that was rendered.
  rendered: 'shown',
  inline_style: 'shown',
  style_block: 'shown',
  css_background: 'shown',
  css_image_set: 'shown',
  link_icon: 'crawled',
  link_preload: 'loaded',
  manifest_icon: 'crawled',
  og_image: 'crawled',
  twitter_image: 'crawled',
  json_ld: 'crawled',
  video_poster: 'shown',
  input_image: 'shown',
  svg_image: 'shown',
  object_data: 'shown',
  legacy_background: 'shown',
  linked_image: 'opened',
  amp_img: 'shown',
  image_sitemap: 'crawled',
  data_uri: 'opened',
} as const satisfies Record<string, ReferenceUse>;

export type ReferenceRole = keyof typeof USES;
export const REFERENCE_ROLES = Object.keys(USES) as readonly ReferenceRole[];

/** Roles of places that do one of these with their image. */
export function rolesThatAre(...uses: readonly ReferenceUse[]): readonly ReferenceRole[] {
  return REFERENCE_ROLES.filter((role) => uses.includes(USES[role]));
}
