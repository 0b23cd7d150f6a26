/** Finds the images of structured data (JSON-LD with the vocabulary of schema.org). */
import { hasImageExtension } from './address.ts';
import { type JsonNode, type JsonText, readJson } from './json.ts';

const IMAGE_MEMBERS: ReadonlySet<string> = new Set(['image', 'logo', 'thumbnailUrl']);
/** Members of an ImageObject. */
const ADDRESS_MEMBERS: ReadonlySet<string> = new Set(['url', 'contentUrl']);
const VOCABULARY = /^(?:schema:|https?:\/\/schema\.org\/)/;

/** Returns the texts that name an image, in order. */
export function findJsonLdImages(text: string): JsonText[] {
  const found: JsonText[] = [];
  for (const node of readJson(text)) visit(node, false, found);
  return found;
}

/** @param image whether an image is expected at this node. The JSON reader bounds the depth. */
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

/** A name or a description may stand where an address is expected. */
const isAddress = (text: string): boolean =>
  /^\s*(?:https?:|\/|\.{1,2}\/|data:)/i.test(text) || (!/\s/.test(text.trim()) && hasImageExtension(text.trim()));
