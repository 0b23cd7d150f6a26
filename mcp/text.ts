/**
 * Formats structured results as text. Some clients pass on only `content`, others only `structuredContent`, so both
 * contain the same (MCP, "Structured Content"). Lists become tables: the field names once, then one line per item. Null
 * values are left out.
 */

const ON_REQUEST = 'makes lists long; the argument `fields` asks for it';
const HASH = 'a hash, which tells a reader nothing; structuredContent and the argument `fields` have it';
const IN_DIFF = 'the diff shows it';

/**
 * Fields that are left out of the text, by name or path, with the reason. This is the only such list. A field that the
 * caller requests with `fields` is included nevertheless.
 */
export const OMITTED_FIELDS: Readonly<Record<string, string>> = {
  contract_version: 'of the protocol, the same in every result',
  sha256: HASH,
  sha256_before: HASH,
  sha256_after: HASH,
  from_sha256: HASH,
  to_sha256: HASH,
  fingerprint: HASH,
  'pages.title': 'text of a foreign page, which may pose as an instruction',
  ...onRequest(
    'pages',
    'final_url canonical_url selected over_limit depth found_by html_bytes references image_requests optimized_bytes',
    'saved_percent seconds_saved_slow_4g heaviest_asset_seq optimization fetched_at',
  ),
  ...onRequest(
    'assets',
    'final_url kind approval mapped content_type frames animated has_alpha external http_status roles pages references',
    'duplicate_of optimized variants saved_percent largest_displayed.source',
    'findings.severity findings.message findings.savings_bytes findings.references findings.places findings.data',
  ),
  ...onRequest('replacements', 'from_path from_format from_width from_height similarity approval roles pages'),
  ...onRequest('report.replacements', 'from_path from_format from_width from_height similarity approval roles pages'),
  'files.edits': IN_DIFF,
};

function onRequest(list: string, ...names: readonly string[]): Record<string, string> {
  const paths = names.join(' ').split(' ');
  return Object.fromEntries(paths.map((name) => [`${list}.${name}`, ON_REQUEST]));
}

/** Long texts with several lines. They are appended unchanged at the end. */
const BLOCKS: ReadonlySet<string> = new Set(['diff', 'markdown', 'prompt']);

/** Fields whose name is left out within a table cell. */
const UNLABELED: ReadonlySet<string> = new Set(['code', 'place', 'places']);

type Fields = Readonly<Record<string, unknown>>;

interface Row {
  [name: string]: unknown;
}

/**
 * @param structured a structured result
 * @param fields list item fields that the caller requested
 */
export const renderText = (structured: Fields, fields: readonly string[] = []): string =>
  new Renderer(new Set(fields)).render(structured);

class Renderer {
  readonly #requestedFields: ReadonlySet<string>;

  constructor(asked: ReadonlySet<string>) {
    this.#requestedFields = asked;
  }

  render(structured: Fields): string {
    const lines: string[] = [];
    const blocks: string[] = [];
    for (const [name, value] of Object.entries(this.#visible(structured, '') as Row)) {
      if (BLOCKS.has(name) && typeof value === 'string') blocks.push(`${name}:\n${value}`);
      else lines.push(...this.#entry(name, value));
    }
    return [...lines, ...blocks].join('\n');
  }

  #entry(name: string, value: unknown): string[] {
    if (!Array.isArray(value)) return [`${name}: ${isRow(value) ? pairs(value) || 'none' : sentence(value)}`];
    if (value.length === 0) return [`${name}: none`];
    return value.every(isRow) ? table(name, value) : [`${name}: ${value.map(cell).join(', ')}`];
  }

  /** Removes null and omitted fields, and combines the fields of a place. */
  #visible(value: unknown, path: string): unknown {
    if (Array.isArray(value)) return value.map((item) => this.#visible(item, path));
    if (!isRow(value)) return value;
    const row: Row = {};
    for (const [name, field] of Object.entries(value)) {
      const at = path === '' ? name : `${path}.${name}`;
      if (field === null || field === undefined || this.#isOmitted(name, at)) continue;
      row[name] = this.#visible(field, at);
    }
    return withPlace(row);
  }

  #isOmitted(name: string, path: string): boolean {
    if (!(name in OMITTED_FIELDS) && !(path in OMITTED_FIELDS)) return false;
    return !path.split('.').some((part) => this.#requestedFields.has(part));
  }
}

const isRow = (value: unknown): value is Row => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Combines `file`, `line` and `column` in the usual form of editors and compilers: `src/index.html:12:5`. */
function withPlace(row: Row): Row | string {
  const { file, url, page, line, column, ...rest } = row;
  const [document, others] =
    file !== undefined ? [file, { url, page }] : url !== undefined ? [url, { page }] : [page, {}];
  if (document === undefined || typeof line !== 'number') return row;
  const place = [document, line, column].filter((part) => part !== undefined).join(':');
  const more = Object.entries({ ...others, ...rest }).filter(([, value]) => value !== undefined);
  return more.length === 0 ? place : { place, ...Object.fromEntries(more) };
}

function table(name: string, rows: readonly Row[]): string[] {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  return [
    `${name} (${columns.join(' | ')}):`,
    ...rows.map((row) =>
      columns
        .map((column) => (column in row ? cell(row[column]) : ''))
        .join(' | ')
        .trimEnd(),
    ),
  ];
}

function cell(value: unknown): string {
  if (Array.isArray(value)) return value.map(cell).join(value.some(isRow) ? '; ' : ', ');
  return isRow(value) ? pairs(value) : word(value);
}

function pairs(row: Row): string {
  const [unnamed, named] = [[] as string[], [] as string[]];
  for (const [name, value] of Object.entries(row)) {
    if (isEmpty(value)) continue;
    const text = isNested(value) ? `(${cell(value)})` : cell(value);
    if (UNLABELED.has(name) && typeof value !== 'number') unnamed.push(text);
    else named.push(`${name} ${text}`);
  }
  return [unnamed.join(' '), named.join(', ')].filter(Boolean).join(', ');
}

const isEmpty = (value: unknown): boolean => typeof value === 'object' && Object.keys(value ?? {}).length === 0;

const isNested = (value: unknown): boolean => isRow(value) || (Array.isArray(value) && value.some(isRow));

/** Text from others must not look like lines or columns of this format. */
const NEEDS_QUOTES = /[\p{Cc}\u2028\u2029|]|^\s|\s$|^$/u;

function word(value: unknown): string {
  const text = String(value);
  return NEEDS_QUOTES.test(text) ? JSON.stringify(text) : text;
}

/** Formats a value that extends to the end of the line. */
function sentence(value: unknown): string {
  const text = String(value);
  return /[\p{Cc}\u2028\u2029]|^$/u.test(text) ? JSON.stringify(text) : text;
}
