/** Pages that a browser shows as they lie in the project, without a build. */

const PLAIN_PAGE = /\.(?:html?|xhtml)$/i;
const TEMPLATE_TAG = /\{[{%#]|<[%?]|\$\{/;

/** By its name. */
export function isPlainPage(path: string): boolean {
  return PLAIN_PAGE.test(path);
}

/** Whether a text may be a template. */
export function hasTemplateTags(text: string): boolean {
  return TEMPLATE_TAG.test(text);
}
