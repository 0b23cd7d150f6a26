/** Reads attributes as written in the source, including those bound to an expression by a framework. */
import { type Element, readAttribute } from './element.ts';
import type { EmbeddedSource } from './embedded-source.ts';
import type { ReferenceCollector } from './reference-collector.ts';
import { readExpression } from './script.ts';

const BOUND = /^(?::|v-bind:|x-bind:)([^.[]+)|^\[([^\]]+)\]$/;
const HANDLER = /^(?:v-|@|#|on:)/;

/** @param attribute name as written, in lower case */
export function readWrittenAttribute(
  sink: ReferenceCollector,
  element: Element,
  attribute: string,
  layer: EmbeddedSource,
): void {
  const [, directive, bracketed] = BOUND.exec(attribute) ?? [];
  const bound = directive ?? bracketed;
  if (bound) readExpression(sink, layer, { element, attribute: bound });
  else if (!HANDLER.test(attribute)) readAttribute(sink, element, attribute, layer);
}
