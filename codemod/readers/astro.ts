import type { EmbeddedSource } from './embedded-source.ts';
import { readMarkup } from './markup.ts';
import type { ReferenceCollector } from './reference-collector.ts';
import { readScript } from './script.ts';

const FENCE = /^\s*---[ \t]*\r?\n/;
const FENCE_END = /^[ \t]*---[ \t]*\r?$/gm;

/** Reads Astro files: a script between fences, then markup with expressions. */
export function readAstro(sink: ReferenceCollector, layer: EmbeddedSource): void {
  const start = FENCE.exec(layer.text)?.[0].length ?? 0;
  FENCE_END.lastIndex = start;
  const end = start > 0 ? FENCE_END.exec(layer.text) : null;
  if (end) readScript(sink, layer.part({ start, end: end.index }), 'ts');
  const body = end ? end.index + end[0].length : 0;
  readMarkup(sink, layer.part({ start: body, end: layer.text.length }), { braces: 'plain' });
}
