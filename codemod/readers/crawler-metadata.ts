/** Recognises metadata for crawlers in the objects of a script, such as `openGraph: { images: … }`. */
import type { CandidateKind } from './candidate.ts';
import { crawledName } from './element.ts';
import { isNode, type Node, nodes } from './script-syntax.ts';

/** Object members with metadata for crawlers. Apart from images they contain texts and page URLs. */
const GROUPS: ReadonlyMap<string, CandidateKind> = new Map([
  ['openGraph', 'og_image'],
  ['twitter', 'twitter_image'],
]);
const META_NAMES = new Set(['property', 'name', 'key', 'itemprop', 'itemProp']);
const NO_IMAGES = new Set(['title', 'description', 'siteName', 'locale', 'type', 'creator', 'site']);
/** Whether crawlers load the image. */
export const isCrawled = (kind: CandidateKind): boolean => kind !== 'string' && kind !== 'import';

/** The kind of an object member by its name. @param around the kind of the object */
export function kindOfMember(name: string, around: CandidateKind): CandidateKind {
  const kind = crawledName(name) ?? GROUPS.get(name);
  if (kind) return kind;
  // In the description of a meta element only the content is an address.
  return isCrawled(around) && NO_IMAGES.has(name) ? 'string' : around;
}

/** The kind of an object like `{ property: 'og:image', content: … }`. */
export function kindOfMeta({ properties }: Node): CandidateKind | undefined {
  for (const { key, value } of nodes(properties))
    if (
      isNode(key) &&
      META_NAMES.has(String(key.name ?? key.value)) &&
      isNode(value) &&
      value.type === 'StringLiteral'
    ) {
      const kind = crawledName(String(value.value));
      if (kind) return kind;
    }
  return undefined;
}
