/**
 * Scans websites with the service in a separate process, which may be killed meanwhile. Reads the results from its
 * database.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openSqlite } from '../../../base/sqlite/open.ts';
import { LOADER, program } from '../repository.ts';
import type { Expected } from './website.ts';

const MAIN = fileURLToPath(program('cli/main'));

/** Limits that no scan of a test can reach. */
const PLANS = {
  scanner: {
    based_on: 'pro',
    requests_per_month: 1_000_000,
    requests_per_minute: null,
    optimize_pages: 100_000,
    scan_pages: 100_000,
    scan_assets: 1_000_000,
    scan_bytes: 1_000_000_000_000,
    websites: 1000,
    running_scans: 2,
  },
};

export const SCAN_ENV = { IC_ALLOW_PRIVATE_ADDRESSES: '127.0.0.0/8' };

/** Prepares the data folder with an account that may scan. Returns the account's key. */
export async function prepareScanner(dataDir: string): Promise<string> {
  await writeFile(join(dataDir, 'plans.json'), JSON.stringify(PLANS));
  const admin = (...words: string[]) => {
    const env = { ...process.env, IC_DATA_DIR: dataDir, IC_LOG_LEVEL: 'silent' };
    const output = execFileSync(process.execPath, [...LOADER, MAIN, 'admin', ...words], { env, encoding: 'utf8' });
    return JSON.parse(output) as { key: string };
  };
  admin('account', 'create', '--name', 'scanner', '--plan', 'scanner');
  return admin('key', 'create', '--account', 'scanner', '--scopes', 'sites').key;
}

/** The part of a scan record that the tests read. */
export interface ScanRecord {
  id: string;
  status: string;
  totals: Record<string, number> & { issues: Record<string, number> };
  downloads: { zip_url: string | null; mapping_json_url: string | null; report_html_url: string | null };
  warnings: string[];
  error: { code: string; message: string } | null;
}

/** A client of the REST interface with a key. */
export class ScanClient {
  readonly #address: string;
  readonly #headers: Record<string, string>;

  constructor(address: string, key: string) {
    this.#address = address;
    this.#headers = { authorization: `Bearer ${key}` };
  }

  async fetch(path: string, init: RequestInit = {}): Promise<Response> {
    const url = path.startsWith('http') ? path : `${this.#address}${path}`;
    const response = await fetch(url, { ...init, headers: { ...this.#headers, ...init.headers } });
    if (!response.ok) assert.fail(`${init.method ?? 'GET'} ${path}: ${response.status} ${await response.text()}`);
    return response;
  }

  async json<T>(path: string, method = 'GET', body?: unknown): Promise<T> {
    const headers = { 'content-type': 'application/json' };
    const init = body === undefined ? { method } : { method, headers, body: JSON.stringify(body) };
    return (await (await this.fetch(path, init)).json()) as T;
  }

  async start(body: unknown): Promise<ScanRecord> {
    return await this.json('/api/v1/sites/scans', 'POST', body);
  }

  async read(id: string): Promise<ScanRecord> {
    return await this.json(`/api/v1/sites/scans/${id}`);
  }

  /**
   * Starts a scan and waits until it is done.
   * @throws Error if it ends in another way
   */
  async complete(body: unknown): Promise<ScanRecord> {
    const { id } = await this.start(body);
    const ended = await this.ended(id);
    if (ended.status !== 'done') throw new Error(`Expected the scan to be done but received ${JSON.stringify(ended)}.`);
    return ended;
  }

  /**
   * Waits until a scan stops.
   * @param onEvent called with the name of every event
   */
  async ended(id: string, onEvent: (name: string) => void = () => {}): Promise<ScanRecord> {
    for (;;) {
      const { body } = await this.fetch(`/api/v1/sites/scans/${id}/events`);
      let rest = '';
      for await (const chunk of body!.pipeThrough(new TextDecoderStream())) {
        const lines = (rest + chunk).split('\n');
        rest = lines.pop()!;
        for (const line of lines) if (line.startsWith('event: ')) onEvent(line.slice(7));
      }
      // The service limits the duration of a stream, so it may end before the scan does.
      const scan = await this.read(id);
      if (['review', 'ready', 'done', 'failed', 'cancelled'].includes(scan.status)) return scan;
    }
  }
}

interface FoundReference {
  source: string;
  url: string;
  role: string;
  raw: string;
  line: number;
  column: number;
}

/** Reads every reference that a scan has found. */
function readReferences(dataDir: string, scanId: string): FoundReference[] {
  const file = openSqlite(join(dataDir, 'imagecrew.sqlite'), { readonly: true });
  try {
    const statement = file.prepare(
      `select s.url as source, a.url, r.role, r.raw, r.line, r."column" from site_references r
       join site_sources s on s.scan_id = r.scan_id and s.seq = r.source_seq
       join site_assets a on a.scan_id = r.scan_id and a.seq = r.asset_seq where r.scan_id = ?`,
    );
    return statement.all(scanId) as FoundReference[];
  } finally {
    file.close();
  }
}

const formatReference = ({ source, role, url, line, column, raw }: FoundReference): string =>
  `${source} ${line}:${column} ${role} ${raw} -> ${url}`;

/**
 * Returns the references that were planted and not found, and those that were found and not planted. Each is listed
 * as often as it is wrong.
 */
export function compareReferences(
  dataDir: string,
  scanId: string,
  { references }: Expected,
): { missed: string[]; wrong: string[] } {
  const counts = new Map<string, number>();
  const count = (text: string, by: number) => counts.set(text, (counts.get(text) ?? 0) + by);
  for (const [source, places] of references)
    for (const place of places) count(formatReference({ ...place, source, raw: place.raw.slice(0, 200) }), 1);
  for (const found of readReferences(dataDir, scanId)) count(formatReference(found), -1);
  const repeated = (sign: number) =>
    [...counts].flatMap(([text, times]) => Array.from({ length: Math.max(0, times * sign) }, () => text)).sort();
  return { missed: repeated(1), wrong: repeated(-1) };
}
