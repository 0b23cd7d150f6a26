/**
 * JSON with the places of its strings. It reads what is there of a broken text too; what stands very deep, or is very much, is
 * left out.
 */
import type { Range } from './source-text.ts';

/** Offsets of a string are those of what stands between its quotes. */
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

const DEEPEST = 100;
const MOST_NODES = 200_000;
const STRING_END = /["\\]/g;

/** Numbers, booleans and null are left out. @returns the outermost values: one, where the text is sound */
export function readJson(text: string): JsonNode[] {
  const root: JsonArray = { items: [] };
  const open: (JsonArray | JsonObject)[] = [root];
  /** Containers that are too deep. */
  let beyond = 0;
  /** The name that the next value of an object belongs to. */
  let name: string | undefined;
  let nodes = 0;
  const add = (node: JsonNode) => {
    nodes++;
    const container = open.at(-1)!;
    if ('items' in container) container.items.push(node);
    else if (name !== undefined) container.members.push([name, node]);
    name = undefined;
  };
  for (let at = 0; at < text.length && nodes < MOST_NODES; at++) {
    const character = text[at];
    if (character === '"') {
      const end = endOfString(text, at + 1);
      if (beyond === 0) {
        if ('members' in open.at(-1)! && name === undefined) name = unescapeJson(text.slice(at + 1, end));
        else add({ start: at + 1, end, value: unescapeJson(text.slice(at + 1, end)) });
      }
      at = end;
    } else if (character === '{' || character === '[') {
      if (beyond > 0 || open.length > DEEPEST) beyond++;
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
