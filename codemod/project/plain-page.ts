/** Detects pages that a browser can show without a build. */

const PLAIN_PAGE = /\.(?:html?|xhtml)$/i;
const TEMPLATE_TAG = /\{[{%#]|<[%?]|\$\{/;

/** Whether the name is one of a plain HTML page. */
export const isPlainPage = (path: string): boolean => PLAIN_PAGE.test(path);

/** Whether a text may be a template. */
export const hasTemplateTags = (text: string): boolean => TEMPLATE_TAG.test(text);
