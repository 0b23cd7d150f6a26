// The types of what package.json exports: the declaration file of each entry point and of all that these import.
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import typescript from 'typescript';
import { writeWhole } from './bundles.mjs';

const ENTRY_POINTS = ['library/index.ts', 'client/index.ts', 'plugins/vite.ts', 'plugins/astro.ts'];

/** From one file alone, which takes 1 s where the compiler takes 20: exports of these folders have explicit types. */
const OPTIONS = { isolatedDeclarations: true, declaration: true, target: 'es2023', module: 'nodenext' };

/** @throws Error for an export whose type its file does not say */
export function writeDeclarations(out) {
  const written = new Set(ENTRY_POINTS);
  for (const source of written) {
    const { outputText, diagnostics } = typescript.transpileDeclaration(readFileSync(source, 'utf8'), {
      fileName: source,
      reportDiagnostics: true,
      compilerOptions: OPTIONS,
    });
    const [problem] = diagnostics ?? [];
    if (problem) throw new Error(`${source}: ${typescript.flattenDiagnosticMessageText(problem.messageText, ' ')}`);
    for (const [, imported] of outputText.matchAll(/\b(?:from |import\()['"]([.][^'"]+)['"]/g))
      written.add(relative('', join(source, '..', imported)));
    writeWhole(`${out}/${source.replace(/ts$/, 'd.ts')}`, Buffer.from(outputText));
  }
}
