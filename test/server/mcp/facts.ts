/** Checks that the text of a result contains what its structured content contains. */
import assert from 'node:assert/strict';
import { OMITTED_FIELDS } from '../../../mcp/text.ts';

/** Limit for a list of tools, which a model reads before every conversation. */
export const MAX_LIST_BYTES = 25_000;

/** Fields that the text may show without their names, for example as `file:line:column`. */
const FIELDS_WITHOUT_NAME = new Set(['file', 'url', 'page', 'line', 'column', 'code', 'message', 'hint', 'places']);

/**
 * Asserts that a text contains the values and names of the structured content, except for `OMITTED_FIELDS`.
 * @param fields that the caller has asked for
 * @throws AssertionError that lists what the text lacks
 */
export function assertTextMatchesStructured(structured: object, text: string, fields: readonly string[] = []): void {
  const missing: string[] = [];
  const look = (value: unknown, path: string, names: readonly string[]): void => {
    const name = names.at(-1) ?? '';
    const isAsked = names.some((each) => fields.includes(each));
    if (value === null || value === undefined) return;
    if (!isAsked && (name in OMITTED_FIELDS || names.join('.') in OMITTED_FIELDS)) return;
    if (Array.isArray(value)) for (const [index, item] of value.entries()) look(item, `${path}[${index}]`, names);
    else if (typeof value === 'object')
      for (const [key, item] of Object.entries(value)) look(item, `${path}.${key}`, [...names, key]);
    else if (!includesValue(text, value)) missing.push(`${path}: ${JSON.stringify(value)}`);
    else if (!FIELDS_WITHOUT_NAME.has(name) && !text.includes(name)) missing.push(`the name of ${path}`);
  };
  look(structured, '', []);
  assert.deepEqual(missing, [], `not in this text:\n${text.slice(0, 5000)}`);
}

function includesValue(text: string, value: unknown): boolean {
  const [plain, escaped] = [String(value), JSON.stringify(value)];
  if (typeof value === 'string') return text.includes(plain) || text.includes(escaped);
  return new RegExp(`(?<![\\w.-])${plain.replace('.', '\\.')}(?![\\w.]\\w)`).test(text);
}
