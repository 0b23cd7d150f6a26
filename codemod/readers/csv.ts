/** Reads CSV tables (RFC 4180), also with semicolons, tabs or bars. Finds cells that contain only an address. */

import { type EmbeddedSource, type Encode, percentEncode } from './embedded-source.ts';
import { encodeImageName, namesImage } from './image-name.ts';
import type { ReferenceCollector } from './reference-collector.ts';

const DELIMITERS = [',', ';', '\t', '|'] as const;
const DOUBLED = { pattern: /""/g, read: () => '"' };
const quoted: Encode = (text) => text.replaceAll('"', '""');

export function readCsv(sink: ReferenceCollector, layer: EmbeddedSource): void {
  const delimiter = delimiterOf(layer.text);
  const cell = new RegExp(`"([^"]*(?:""[^"]*)*)"|[^"\\r\\n${delimiter}][^\\r\\n${delimiter}]*`, 'g');
  const plain: Encode = (text) => percentEncode(text, new RegExp(`["\\r\\n${delimiter}]`, 'g'));
  for (const { 0: whole, 1: inner, index } of layer.text.matchAll(cell)) {
    const isQuoted = inner !== undefined;
    const start = isQuoted ? index + 1 : index;
    const end = start + (inner ?? whole).length;
    if (start >= end) continue;
    const part = isQuoted ? layer.unescaped({ start, end }, DOUBLED, quoted) : layer.part({ start, end }, plain);
    if (!namesImage(part.text) || !endsCell(layer.text, index + whole.length, delimiter)) continue;
    sink.add(part, { kind: 'data', encode: encodeImageName });
  }
}

/** The delimiter that is most frequent in the first line. */
function delimiterOf(text: string): string {
  const [line = ''] = text.split(/[\r\n]/, 1);
  const counts = DELIMITERS.map((delimiter) => line.split(delimiter).length);
  return DELIMITERS[counts.indexOf(Math.max(...counts))]!;
}

function endsCell(text: string, end: number, delimiter: string): boolean {
  const after = text[end];
  return after === undefined || after === delimiter || after === '\r' || after === '\n';
}
