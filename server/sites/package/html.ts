/** Builds HTML from untrusted text. */

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Control and invisible characters. They can reverse the text direction and make one address look like another. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+/gu;

/** Escapes text for use as content and inside a quoted attribute. */
export const escapeHtml = (text: string): string =>
  text.replaceAll(HIDDEN, ' ').replaceAll(/[&<>"']/g, (sign) => ENTITIES[sign]!);

/** Trusted HTML. */
export interface Html {
  html: string;
}

/** A template whose values are escaped unless they are {@link Html}. An array is written item by item. */
export function html(parts: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  const [first = '', ...rest] = parts;
  return { html: first + rest.map((part, index) => written(values[index]) + part).join('') };
}

export type HtmlValue = Html | string | number | null | undefined | false | readonly HtmlValue[];

function written(value: HtmlValue): string {
  if (value === null || value === undefined || value === false) return '';
  if (typeof value === 'string') return escapeHtml(value);
  if (typeof value === 'number') return String(value);
  return 'html' in value ? value.html : (value as readonly HtmlValue[]).map(written).join('');
}
