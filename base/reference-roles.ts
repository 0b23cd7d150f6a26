/** The kinds of places in a website that name an image (docs/spec/shapes.md, section 16.2). */

/**
 * What such a place does with its image. `shown`: a browser loads the image to show the page. `loaded`: a browser loads
 * it for another place to show. `opened`: the image can be seen, but nothing loads it, because it needs a click or is
 * part of the document. `crawled`: crawlers, feed readers, mail programs or browser tabs load it; some of them do not
 * support new formats.
 */
type ReferenceUse = 'shown' | 'loaded' | 'opened' | 'crawled';

const USES = {
  img_src: 'shown',
  img_srcset: 'shown',
  picture_source: 'shown',
  lazy_attribute: 'shown',
  noscript: 'shown',
  // Inserted by a script, found in a rendered page.
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

/** Roles whose use is one of the given ones. */
export const rolesWithUse = (...uses: readonly ReferenceUse[]): readonly ReferenceRole[] =>
  REFERENCE_ROLES.filter((role) => uses.includes(USES[role]));
