/** Finds the calls of `verifies(…)` in the syntax tree of a test file, so comments and strings cannot cite anything. */
import ts from 'typescript';

export interface Citation {
  id: string;
  /** Starts at 1. */
  line: number;
}

export interface Citations {
  /** Ids cited by tests that run. */
  proved: Citation[];
  /** Ids cited only in tests or suites that are skipped or marked as todo. */
  skipped: Citation[];
  /** Calls that cannot be read, with line and problem. */
  faults: { line: number; message: string }[];
}

const RUNNERS = new Set(['test', 'it', 'describe', 'suite']);
const NOT_RUN = new Set(['skip', 'todo']);

/** Position of the walk in the file: outside every test, in one that runs, or in one that does not. */
type Scope = 'outside' | 'running' | 'skipped';

/** @param file name for the parser only; the file is not read */
export function findCitations(file: string, source: string): Citations {
  const tree = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true, ts.ScriptKind.TS);
  const found: Citations = { proved: [], skipped: [], faults: [] };
  const visit = (node: ts.Node, scope: Scope): void => {
    if (ts.isCallExpression(node)) {
      if (ts.isIdentifier(node.expression) && node.expression.text === 'verifies') cite(node, scope, tree, found);
      else if (isTestCall(node) && scope !== 'skipped') scope = isSkipped(node) ? 'skipped' : 'running';
    }
    ts.forEachChild(node, (child) => visit(child, scope));
  };
  visit(tree, 'outside');
  return found;
}

function cite(call: ts.CallExpression, scope: Scope, tree: ts.SourceFile, found: Citations): void {
  const line = lineOf(call, tree);
  if (scope === 'outside') {
    found.faults.push({ line, message: 'Expected verifies inside a test or a suite.' });
    return;
  }
  for (const argument of call.arguments) {
    if (!ts.isStringLiteralLike(argument)) {
      found.faults.push({ line, message: `Expected a string literal but received ${argument.getText(tree)}.` });
      continue;
    }
    found[scope === 'running' ? 'proved' : 'skipped'].push({ id: argument.text, line: lineOf(argument, tree) });
  }
}

function lineOf(node: ts.Node, tree: ts.SourceFile): number {
  return tree.getLineAndCharacterOfPosition(node.getStart(tree)).line + 1;
}

/** `it(…)`, `describe.skip(…)`, `t.test(…)`. */
function isTestCall({ expression }: ts.CallExpression): boolean {
  if (ts.isIdentifier(expression)) return RUNNERS.has(expression.text);
  if (!ts.isPropertyAccessExpression(expression) || !ts.isIdentifier(expression.expression)) return false;
  return RUNNERS.has(expression.expression.text) || expression.name.text === 'test';
}

function isSkipped(call: ts.CallExpression): boolean {
  if (ts.isPropertyAccessExpression(call.expression) && NOT_RUN.has(call.expression.name.text)) return true;
  return call.arguments.some(
    (argument) => ts.isObjectLiteralExpression(argument) && argument.properties.some(isSkippingOption),
  );
}

/** Accepts `skip: true` and `skip: 'a reason'`; `skip: noCorpus` depends on the machine and counts as running. */
function isSkippingOption(property: ts.ObjectLiteralElementLike): boolean {
  if (!ts.isPropertyAssignment(property) || !NOT_RUN.has(property.name.getText())) return false;
  const value = property.initializer;
  return value.kind === ts.SyntaxKind.TrueKeyword || (ts.isStringLiteralLike(value) && value.text !== '');
}
