/** The images of structured data (JSON-LD with the vocabulary of schema.org). */
import { hasImageExtension } from './address.ts';
import { type JsonNode, type JsonText, readJson } from './json.ts';

const IMAGE_MEMBERS: ReadonlySet<string> = new Set(['image', 'logo', 'thumbnailUrl']);
/** Of an ImageObject. */
const ADDRESS_MEMBERS: ReadonlySet<string> = new Set(['url', 'contentUrl']);
const VOCABULARY = /^(?:schema:|https?:\/\/schema\.org\/)/;

/** The texts that name an image, in their order. */
export function findJsonLdImages(text: string): JsonText[] {
  const found: JsonText[] = [];
  for (const node of readJson(text)) visit(node, false, found);
  return found;
}

/** @param image the node stands where an image is expected. The depth of the nodes is bounded where they are read. */
function visit(node: JsonNode, image: boolean, found: JsonText[]): void {
  if ('value' in node) {
    if (image && isAddress(node.value)) found.push(node);
  } else if ('items' in node) {
    for (const item of node.items) visit(item, image, found);
  } else {
    const isImage = image || node.members.some(([name, value]) => name === '@type' && isImageObject(value));
    for (const [name, value] of node.members) {
      const member = name.replace(VOCABULARY, '');
      visit(value, IMAGE_MEMBERS.has(member) || (isImage && ADDRESS_MEMBERS.has(member)), found);
    }
  }
}

function isImageObject(type: JsonNode): boolean {
  if ('items' in type) return type.items.some(isImageObject);
  return 'value' in type && type.value.replace(VOCABULARY, '') === 'ImageObject';
}

/** A name or a description may stand in the place of an address. */
function isAddress(text: string): boolean {
  return (
    /^\s*(?:https?:|\/|\.{1,2}\/|data:)/i.test(text) || (!/\s/.test(text.trim()) && hasImageExtension(text.trim()))
  );
}
