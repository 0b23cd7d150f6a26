/** `mapping.json` and `mapping.csv` (docs/spec/shapes.md, section 17.8), written line by line. */
import { CONTRACT_VERSION } from '../../../replacement-package/layout.ts';
import type { MarkupPlace } from '../../../replacement-package/markup-place.ts';
import type { Replacement } from '../../../replacement-package/replacement.ts';
import { csvLine } from './csv.ts';
import type { MappedLine } from './mapping.ts';

/** The fields above the lines. */
export interface PackageHead {
  packageId: string;
  scanId: string;
  domain: string;
  createdAt: string;
  settings: unknown;
  totals: unknown;
}

/**
 * Writes `mapping.json`, with each replacement on its own line, so that two packages can be compared.
 * @param pages addresses of the pages that the scan has read
 * @param places places whose markup can be repaired
 */
export async function* mappingJson(
  head: PackageHead,
  lines: AsyncIterable<MappedLine>,
  pages: AsyncIterable<string>,
  places: AsyncIterable<MarkupPlace>,
): AsyncGenerator<string> {
  const { packageId, scanId, domain, createdAt, settings, totals } = head;
  const above = {
    contract_version: CONTRACT_VERSION,
    package_id: packageId,
    scan_id: scanId,
    domain,
    created_at: createdAt,
    settings,
    totals,
  };
  yield `${JSON.stringify(above, null, 1).slice(0, -2)},`;
  yield* jsonList('replacements', linesOf(lines));
  yield ',';
  yield* jsonList('scanned_pages', pages);
  yield ',';
  yield* jsonList('markup_places', places);
  yield '\n}\n';
}

async function* linesOf(lines: AsyncIterable<MappedLine>): AsyncGenerator<Replacement> {
  for await (const { line } of lines) yield line;
}

/** Writes an array member of the object, with each item on its own line. */
async function* jsonList(name: string, items: AsyncIterable<unknown>): AsyncGenerator<string> {
  yield `\n "${name}": [`;
  let separator = '\n  ';
  for await (const item of items) {
    yield separator + JSON.stringify(item);
    separator = ',\n  ';
  }
  yield '\n ]';
}

const COLUMNS = {
  seq: ({ seq }) => seq,
  from: ({ from }) => from,
  to_path: (line) => line.to_path,
  from_bytes: (line) => line.from_bytes,
  to_bytes: (line) => line.to_bytes,
  saved_bytes: (line) => line.saved_bytes,
  from_format: (line) => line.from_format,
  to_format: (line) => line.to_format,
  width: (line) => line.to_width,
  height: (line) => line.to_height,
  similarity: ({ similarity }) => similarity,
  approval: ({ approval }) => approval,
  pages_total: (line) => line.pages_total,
} satisfies Record<string, (line: Replacement) => string | number | null>;

export async function* mappingCsv(lines: AsyncIterable<MappedLine>): AsyncGenerator<string> {
  yield csvLine(Object.keys(COLUMNS));
  const columns = Object.values(COLUMNS);
  for await (const { line } of lines) yield csvLine(columns.map((read) => read(line)));
}
