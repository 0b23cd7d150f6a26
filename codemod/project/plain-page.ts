/** Detects pages that a browser can show without a build. */

const PLAIN_PAGE = /\.(?:html?|xhtml)$/i;
const TEMPLATE_TAG = /\{[{%#]|<[%?]|\$\{/;

/** Whether the name is one of a plain HTML page. */
export function isPlainPage(path: string): boolean {
  return PLAIN_PAGE.test(path);
}

/** Whether a text may be a template. */
export function hasTemplateTags(text: string): boolean {
  return TEMPLATE_TAG.test(text);
}
