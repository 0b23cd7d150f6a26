/**
 * Reads folders, aliases and image settings from a configuration file in JavaScript or TypeScript. Only literals are
 * understood.
 */
import { parse } from '@babel/parser';
import { isNode, type Node, nodes } from '../readers/script-syntax.ts';

export interface ConfigValues {
  publicDirs: string[];
  aliases: [key: string, folder: string][];
  /** `images.unoptimized` of Next.js: its image component serves every file unchanged. */
  hasUnoptimizedImages: boolean;
}

/** Properties whose string, or list of strings, names public folders. */
const PUBLIC = new Set(['publicDir', 'staticDirectories']);
/** Nested properties with a public folder: `dir.public` of Nuxt, `files.assets` of SvelteKit. */
const PUBLIC_IN: Readonly<Record<string, string>> = { dir: 'public', files: 'assets' };
const MAX_NODES = 100_000;

/** @returns empty values if the text cannot be parsed */
export function configValues(text: string): ConfigValues {
  const values: ConfigValues = { publicDirs: [], aliases: [], hasUnoptimizedImages: false };
  const waiting: Node[] = [];
  try {
    const { program } = parse(text, { sourceType: 'unambiguous', errorRecovery: true, plugins: ['typescript'] });
    if (isNode(program)) waiting.push(program);
  } catch {
    // Includes the RangeError for too deep nesting.
    return values;
  }
  for (let node = waiting.pop(), left = MAX_NODES; node && left > 0; node = waiting.pop(), left--) {
    if (node.type === 'ObjectProperty') readMember(values, node);
    for (const value of Object.values(node)) waiting.push(...(isNode(value) ? [value] : nodes(value)));
  }
  return values;
}

function readMember(values: ConfigValues, { key, value }: Node): void {
  const name = nameOf(key);
  if (name === undefined || !isNode(value)) return;
  if (PUBLIC.has(name)) {
    const items = value.type === 'ArrayExpression' ? nodes(value.elements) : [value];
    for (const item of items) push(values.publicDirs, folderText(item));
  } else if (name === 'alias') readAliases(values, value);
  else if (name === 'images') values.hasUnoptimizedImages ||= members(value).some(isUnoptimized);
  else if (name in PUBLIC_IN)
    for (const member of members(value))
      if (nameOf(member.key) === PUBLIC_IN[name] && isNode(member.value))
        push(values.publicDirs, folderText(member.value));
}

const isUnoptimized = ({ key, value }: Node): boolean =>
  nameOf(key) === 'unoptimized' && isNode(value) && value.type === 'BooleanLiteral' && value.value === true;

/** Reads an object, or a list of `{ find, replacement }`. */
function readAliases(values: ConfigValues, value: Node): void {
  const entries: [string | undefined, unknown][] = members(value).map((member) => [nameOf(member.key), member.value]);
  if (value.type === 'ArrayExpression' && Array.isArray(value.elements))
    for (const item of value.elements) {
      const parts = new Map(isNode(item) ? members(item).map((member) => [nameOf(member.key), member.value]) : []);
      const find = parts.get('find');
      entries.push([isNode(find) ? literal(find) : undefined, parts.get('replacement')]);
    }
  for (const [key, target] of entries) {
    const folder = isNode(target) ? folderText(target) : undefined;
    if (key !== undefined && folder !== undefined) values.aliases.push([key, folder]);
  }
}

/** Reads `'./src'`, `path.resolve(__dirname, 'src')` or `fileURLToPath(new URL('./src', import.meta.url))`. */
function folderText(node: Node): string | undefined {
  const text = literal(node);
  if (text !== undefined) return text;
  if (node.type !== 'CallExpression' && node.type !== 'NewExpression') return undefined;
  const parts = nodes(node.arguments).flatMap((argument) => {
    const part = folderText(argument);
    return part === undefined ? [] : [part];
  });
  return parts.length > 0 ? parts.join('/') : undefined;
}

const literal = (node: Node): string | undefined =>
  node.type === 'StringLiteral' && typeof node.value === 'string' ? node.value : undefined;

function nameOf(key: unknown): string | undefined {
  if (!isNode(key)) return undefined;
  return key.type === 'Identifier' ? String(key.name) : literal(key);
}

const members = (value: Node): Node[] => nodes(value.properties).filter(({ type }) => type === 'ObjectProperty');

function push(texts: string[], text: string | undefined): void {
  if (text !== undefined) texts.push(text);
}
