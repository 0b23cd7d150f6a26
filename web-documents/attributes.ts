/** Reads attribute values as the standards do. */
import type { Attributes } from './markup.ts';

export function textOf(attributes: Attributes, name: string): string | null {
  return attributes.get(name)?.text ?? null;
}

/** In lower case, without white space at the ends. */
export function keyword(attributes: Attributes, name: string): string | undefined {
  return attributes.get(name)?.text.trim().toLowerCase();
}

export function tokens(attributes: Attributes, name: string): string[] {
  return attributes.get(name)?.text.split(/\s+/) ?? [];
}

export function hrefName(attributes: Attributes): string {
  if (attributes.has('href')) return 'href';
  return [...attributes.keys()].find((name) => name.endsWith(':href')) ?? 'href';
}
