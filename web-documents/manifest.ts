/** Reads the images of a web application manifest; addresses are relative to it (W3C, "Web Application Manifest"). */
import { type JsonNode, type JsonObject, type JsonText, readJson } from './json.ts';
import type { DocumentReading } from './reading.ts';
import { References } from './references.ts';
import { Resolver } from './resolver.ts';
import { SourceText } from './source-text.ts';

export function readManifest(source: string, url: string): DocumentReading {
  const references = new References(source, new Resolver());
  const text = SourceText.slice(source, 0, source.length);
  for (const image of readJson(source).filter(isObject).flatMap(imagesOf)) {
    const src = member(image, 'src');
    if (!src || !isText(src)) continue;
    references.add(
      { text, range: src, address: src.value, base: url },
      { role: 'manifest_icon', sizes: textMember(image, 'sizes'), type: textMember(image, 'type') },
    );
  }
  return {
    references: references.list,
    inlineImages: references.inlineImages,
    truncated: references.full,
    stylesheets: [],
    sizing: null,
    page: null,
  };
}

function imagesOf(manifest: JsonObject): JsonObject[] {
  const shortcuts = objects(member(manifest, 'shortcuts'));
  return [
    ...objects(member(manifest, 'icons')),
    ...objects(member(manifest, 'screenshots')),
    ...shortcuts.flatMap((shortcut) => objects(member(shortcut, 'icons'))),
  ];
}

const isObject = (node: JsonNode): node is JsonObject => 'members' in node;
const isText = (node: JsonNode): node is JsonText => 'value' in node;

const objects = (node: JsonNode | undefined): JsonObject[] =>
  node && 'items' in node ? node.items.filter(isObject) : [];

/** The last of several members with the same name counts, as in JavaScript. */
const member = (object: JsonObject, wanted: string): JsonNode | undefined =>
  object.members.findLast(([name]) => name === wanted)?.[1];

function textMember(object: JsonObject, name: string): string | null {
  const node = member(object, name);
  return node && isText(node) ? node.value : null;
}
