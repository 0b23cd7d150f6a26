/** Reads JSON: data files, and JSON in `script` elements. */
import { type JsonNode, readJson } from '../../web-documents/json.ts';
import type { CandidateKind } from './candidate.ts';
import { crawledName } from './element.ts';
import type { EmbeddedSource } from './embedded-source.ts';
import { jsonString, SCRIPT_ESCAPES } from './escapes.ts';
import type { ReferenceCollector } from './reference-collector.ts';
import { readValue } from './value.ts';

/** Members of web manifests whose items have a `src`. */
const ICONS: ReadonlySet<string> = new Set(['icons', 'screenshots']);

export function readJsonText(sink: ReferenceCollector, layer: EmbeddedSource, manifest = false): void {
  for (const root of readJson(layer.text)) visit(sink, layer, root, manifest, 'data');
}

/** Recursion is safe: the JSON reader limits the depth. */
function visit(
  sink: ReferenceCollector,
  layer: EmbeddedSource,
  node: JsonNode,
  manifest: boolean,
  kind: CandidateKind,
): void {
  if ('value' in node) readValue(sink, layer.unescaped(node, SCRIPT_ESCAPES, jsonString), { kind });
  else if ('items' in node) for (const item of node.items) visit(sink, layer, item, manifest, kind);
  else
    for (const [name, value] of node.members)
      visit(sink, layer, value, manifest, manifest && ICONS.has(name) ? 'manifest_icon' : (crawledName(name) ?? kind));
}
