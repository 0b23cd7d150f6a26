/** Reads attribute values as the standards do. */
import type { Attributes } from './markup.ts';

export const textOf = (attributes: Attributes, name: string): string | null => attributes.get(name)?.text ?? null;

/** In lower case, without white space at the ends. */
export const keyword = (attributes: Attributes, name: string): string | undefined =>
  attributes.get(name)?.text.trim().toLowerCase();

export const tokens = (attributes: Attributes, name: string): string[] => attributes.get(name)?.text.split(/\s+/) ?? [];

export function hrefName(attributes: Attributes): string {
  if (attributes.has('href')) return 'href';
  return [...attributes.keys()].find((name) => name.endsWith(':href')) ?? 'href';
}
