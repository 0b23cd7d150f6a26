/** Parses JavaScript, TypeScript and JSX, and walks the nodes of the syntax tree. Code is parsed and never executed. */
import { type ParserPlugin, parse, parseExpression } from '@babel/parser';
import type { Range } from '../../web-documents/source-text.ts';

export type ScriptLanguage = 'js' | 'ts' | 'tsx';

const PLUGINS: Readonly<Record<ScriptLanguage, ParserPlugin[]>> = {
  js: ['jsx', 'flow', 'decorators-legacy', 'importAttributes'],
  ts: ['typescript', 'decorators-legacy', 'importAttributes'],
  tsx: ['jsx', 'typescript', 'decorators-legacy', 'importAttributes'],
};

/** Maximum length that is parsed: malicious text can take 5 s per megabyte. */
const MAX_PARSED_LENGTH = 500_000;
/** Maximum nesting. The parser tries each typed call twice, so the time is exponential in the depth. */
const MAX_TYPED_CALL_DEPTH = 6;

/** Properties that hold no child nodes. */
export const NO_CHILDREN: ReadonlySet<string> = new Set([
  'type',
  'start',
  'end',
  'loc',
  'extra',
  'errors',
  'comments',
  'directives',
  'tokens',
]);
const MAX_NAMES = 100;

export interface Node extends Range {
  type: string;
  [property: string]: unknown;
}

export function parseProgram(text: string, language: ScriptLanguage): Node | undefined {
  return tryParse(text, () =>
    parse(text, {
      sourceType: 'unambiguous',
      attachComment: false,
      allowReturnOutsideFunction: true,
      allowAwaitOutsideFunction: true,
      allowImportExportEverywhere: true,
      allowUndeclaredExports: true,
      plugins: PLUGINS[language],
    }),
  );
}

/** Parses the expression of an attribute. */
export const parseAttributeExpression = (text: string, language: ScriptLanguage): Node | undefined =>
  tryParse(text, () => parseExpression(text, { attachComment: false, plugins: PLUGINS[language] }));

/**
 * Parses without error recovery: for a text with 16,000 labels the parser would otherwise collect a hundred million
 * errors.
 * @returns undefined if the text is too large or cannot be parsed
 */
function tryParse(text: string, parser: () => unknown): Node | undefined {
  if (text.length > MAX_PARSED_LENGTH || hasDeepTypedCalls(text)) return undefined;
  try {
    return parser() as Node;
  } catch {
    // Includes the RangeError for too deep nesting.
    return undefined;
  }
}

/** Whether calls like `f<a>(f<a>(f<a>(` nest too deep. */
function hasDeepTypedCalls(text: string): boolean {
  const open: boolean[] = [];
  let typed = 0;
  for (let at = text.search(/[()]/); at < text.length && at !== -1; at++) {
    if (text[at] === '(') {
      const isTyped = text[at - 1] === '>' && text[at - 2] !== '=';
      open.push(isTyped);
      if (isTyped && ++typed > MAX_TYPED_CALL_DEPTH) return true;
    } else if (text[at] === ')' && open.pop()) typed--;
  }
  return false;
}

export const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';

/** The nodes of a list. */
export const nodes = (value: unknown): Node[] => (Array.isArray(value) ? value.filter(isNode) : []);

/** Variables used in an expression, except those inside functions, JSX and objects. */
export function namesIn(root: Node): string[] {
  const names: string[] = [];
  const waiting = [root];
  for (let node = waiting.pop(); node && names.length < MAX_NAMES; node = waiting.pop()) {
    if (node.type === 'Identifier') names.push(String(node.name));
    if (/Function|JSX|ObjectExpression/.test(node.type)) continue;
    for (const name of Object.keys(node)) {
      if (NO_CHILDREN.has(name) || (name === 'property' && !node.computed)) continue;
      const value = node[name];
      if (isNode(value)) waiting.push(value);
      else waiting.push(...nodes(value));
    }
  }
  return names;
}
