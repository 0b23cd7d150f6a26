/**
 * Reads JSON and keeps the offsets of its strings. Also reads as much as possible of broken JSON. Values beyond the
 * depth and count limits are left out.
 */
import type { Range } from './source-text.ts';

/** The offsets of a string exclude its quotes. */
export type JsonNode = JsonText | JsonArray | JsonObject;
export interface JsonText extends Range {
  value: string;
}
export interface JsonArray {
  items: JsonNode[];
}
export interface JsonObject {
  members: [name: string, value: JsonNode][];
}

const MAX_DEPTH = 100;
const MAX_NODES = 200_000;
const STRING_END = /["\\]/g;

/**
 * Reads a JSON text. Numbers, booleans and null are left out.
 * @returns the outermost values: one, if the text is valid
 */
export function readJson(text: string): JsonNode[] {
  const root: JsonArray = { items: [] };
  const open: (JsonArray | JsonObject)[] = [root];
  /** Number of open containers beyond the depth limit. */
  let beyond = 0;
  /** Name of the object member whose value is read next. */
  let name: string | undefined;
  let nodes = 0;
  const add = (node: JsonNode) => {
    nodes++;
    const container = open.at(-1)!;
    if ('items' in container) container.items.push(node);
    else if (name !== undefined) container.members.push([name, node]);
    name = undefined;
  };
  for (let at = 0; at < text.length && nodes < MAX_NODES; at++) {
    const character = text[at];
    if (character === '"') {
      const end = endOfString(text, at + 1);
      if (beyond === 0) {
        if ('members' in open.at(-1)! && name === undefined) name = unescapeJson(text.slice(at + 1, end));
        else add({ start: at + 1, end, value: unescapeJson(text.slice(at + 1, end)) });
      }
      at = end;
    } else if (character === '{' || character === '[') {
      if (beyond > 0 || open.length > MAX_DEPTH) beyond++;
      else {
        const container = character === '{' ? { members: [] } : { items: [] };
        add(container);
        open.push(container);
      }
    } else if (character === '}' || character === ']') {
      if (beyond > 0) beyond--;
      else if (open.length > 1) open.pop();
      name = undefined;
    } else if (character === ',' && beyond === 0) name = undefined;
  }
  return root.items;
}

function endOfString(text: string, start: number): number {
  STRING_END.lastIndex = start;
  for (let found = STRING_END.exec(text); found; found = STRING_END.exec(text)) {
    if (found[0] === '"') return found.index;
    STRING_END.lastIndex = found.index + 2;
  }
  return text.length;
}

const ESCAPE = /\\(?:u([\da-fA-F]{4})|([\s\S]))/g;
const CONTROLS: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

function unescapeJson(text: string): string {
  if (!text.includes('\\')) return text;
  return text.replace(ESCAPE, (_, hex: string | undefined, character: string) =>
    hex === undefined ? (CONTROLS[character] ?? character) : String.fromCharCode(Number.parseInt(hex, 16)),
  );
}
