/**
 * Generates JSON bodies that are hard to parse: large, deep, with many values, truncated, not UTF-8. The same seed
 * gives the same bodies.
 */
import type { ZodOpenApiRequestBodyObject } from 'zod-openapi';
import { DOCUMENTED, ENDPOINTS } from '../../server/endpoints.ts';
import { createOpenApi } from '../../server/http/openapi.ts';
import type { OpenApiPart } from '../../server/http/openapi-document.ts';
import { HOSTED_TOOLS } from '../../server/mcp/tools.ts';
import type { Random } from './random.ts';

/** Maximum size of a website list, the largest body of all. */
export const MAX_FUZZED_BYTES = 5_000_000;
const MIN_FUZZED_BYTES = 10_000;

const JSON_TYPE = 'application/json';
export const MCP_PATH = '/api/mcp';

export interface JsonEndpoint {
  method: string;
  /** With parameters such as `{id}`. */
  path: string;
  access: 'key' | 'admin';
  /** Names of the fields that its body may have. */
  fields: readonly string[];
}

export interface FuzzedBody {
  endpoint: JsonEndpoint;
  /** Description for people. */
  description: string;
  bytes: Buffer;
}

/** Returns every endpoint of the OpenAPI document whose body may be JSON, and MCP. */
export function jsonEndpoints(): JsonEndpoint[] {
  const document = createOpenApi(DOCUMENTED) as OpenApiPart;
  const documented = ENDPOINTS.filter(({ requestBody }) => {
    const body = requestBody as ZodOpenApiRequestBodyObject | undefined;
    return body && JSON_TYPE in body.content;
  }).map(({ method, path, access }): JsonEndpoint => {
    const { schema } = document.paths[path][method].requestBody.content[JSON_TYPE];
    const named = schema.$ref ? document.components.schemas[schema.$ref.split('/').at(-1)] : schema;
    return {
      method: method.toUpperCase(),
      path,
      access: access === 'admin' ? 'admin' : 'key',
      fields: fieldsOf(named),
    };
  });
  return [
    ...documented,
    { method: 'POST', path: MCP_PATH, access: 'key', fields: ['id', 'method', 'params', '_meta'] },
  ];
}

function fieldsOf(schema: OpenApiPart): string[] {
  const all = [schema, ...(schema.allOf ?? []), ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])];
  return [...new Set(all.flatMap(({ properties = {} }) => Object.keys(properties)))];
}

/** Contents of JSON strings, without the quotation marks, of about this many bytes. */
const TEXTS = {
  letters: (bytes: number) => 'a'.repeat(bytes),
  newlines: (bytes: number) => '\\n'.repeat(bytes / 2),
  blanks: (bytes: number) => ' '.repeat(bytes),
  quotes: (bytes: number) => '\\"'.repeat(bytes / 2),
  backslashes: (bytes: number) => '\\\\'.repeat(bytes / 2),
  'escaped letters': (bytes: number) => '\\u0041'.repeat(bytes / 6),
  'escaped controls': (bytes: number) => '\\u0007'.repeat(bytes / 6),
  'lone surrogates': (bytes: number) => '\\ud83d'.repeat(bytes / 6),
  han: (bytes: number) => '\u4e2d'.repeat(bytes / 3),
  emoji: (bytes: number) => '\u{1f600}'.repeat(bytes / 4),
  mixed: (bytes: number) => 'a\u00e9\u4e2d\u{1f600}\\n'.repeat(bytes / 12),
  base64: (bytes: number) => 'iVBORw0K'.repeat(bytes / 8),
  'one address': (bytes: number) => `https://example.com/${'a'.repeat(bytes)}`,
  addresses: (bytes: number) => lines(bytes, (index) => `https://example.com/page/${index}`),
  'short addresses': (bytes: number) => 'a.b\\n'.repeat(bytes / 5),
  'a wrong line at the end': (bytes: number) => `${lines(bytes, (index) => `https://example.com/${index}`)}\\n:`,
  'escaped paths': (bytes: number) => `https://example.com/${'%C4%8D'.repeat(bytes / 6)}`,
  dots: (bytes: number) => `https://example.com/${'../'.repeat(bytes / 3)}`,
  commas: (bytes: number) => '1,'.repeat(bytes / 2),
  brackets: (bytes: number) => '['.repeat(bytes),
} as const satisfies Record<string, (bytes: number) => string>;

/** JSON values of about this many bytes. */
const VALUES: Readonly<Record<string, (bytes: number, random: Random) => string>> = {
  ...Object.fromEntries(
    Object.entries(TEXTS).map(([name, write]) => [`a text of ${name}`, (bytes: number) => `"${write(bytes)}"`]),
  ),
  'an object of many keys': (bytes) => `{${repeated(bytes, (index) => `"k${index}":${index}`)}}`,
  'an object of one key again and again': (bytes) => `{${repeated(bytes, () => '"key":1')}}`,
  'an object of long keys': (bytes) => `{${repeated(bytes, (index) => `"${index}${'k'.repeat(1000)}":1`)}}`,
  'an object of one long key': (bytes) => `{"${'k'.repeat(bytes)}":1}`,
  'an object of one long escaped key': (bytes) => `{"${'\\n'.repeat(bytes / 2)}":1}`,
  'an object of numbered keys': (bytes) => `{${repeated(bytes, (index) => `"${index * 7919}":1`)}}`,
  'a list of numbers': (bytes) => `[${repeated(bytes, String)}]`,
  'a list of nulls': (bytes) => `[${repeated(bytes, () => 'null')}]`,
  'a list of short texts': (bytes) => `[${repeated(bytes, (index) => `"/${index}/**"`)}]`,
  'a list of empty texts': (bytes) => `[${repeated(bytes, () => '""')}]`,
  'a list of long texts': (bytes) => `[${repeated(bytes, () => `"${'a'.repeat(5000)}"`)}]`,
  'a list of objects': (bytes) => `[${repeated(bytes, () => '{"url":"https://example.com/a.jpg"}')}]`,
  'a list of steps': (bytes) => `[${repeated(bytes, () => '{"op":"resize","params":{"width":1}}')}]`,
  'a list of lists': (bytes) => `[${repeated(bytes, () => '[]')}]`,
  'steps of a pipeline': (bytes) => `{"steps":[${repeated(bytes, () => '{"op":"resize","params":{"width":1}}')}]}`,
  'a pipeline with a long text': (bytes) =>
    `{"steps":[{"op":"compress","params":{"watermark_text":"${'\\n'.repeat(bytes / 2)}"}}]}`,
  'a step with many conditions': (bytes) =>
    `{"steps":[{"op":"compress","when":{"any":[${repeated(bytes, () => '{"min_width":1}')}]}}]}`,
  'lists in lists': (bytes) => '['.repeat(bytes / 2) + ']'.repeat(bytes / 2),
  'lists without an end': (bytes) => '['.repeat(bytes),
  'objects in objects': (bytes) => `${'{"not":'.repeat(bytes / 8)}1${'}'.repeat(bytes / 8)}`,
  'a long integer': (bytes) => '9'.repeat(bytes),
  'a long fraction': (bytes) => `0.${'1'.repeat(bytes)}`,
  'a long exponent': (bytes) => `1e${'9'.repeat(bytes)}`,
  'blanks around a number': (bytes) => `${' '.repeat(bytes / 2)}1${'\n'.repeat(bytes / 2)}`,
  'a text without an end': (bytes) => `"${'a'.repeat(bytes)}`,
  'anything at all': (bytes, random) => randomValue(bytes, random),
};

function lines(bytes: number, write: (index: number) => string): string {
  return Array.from({ length: bytes / 30 }, (_, index) => write(index)).join('\\n');
}

function repeated(bytes: number, write: (index: number) => string): string {
  const each = write(1000).length + 1;
  return Array.from({ length: Math.max(1, Math.floor(bytes / each)) }, (_, index) => write(index)).join(',');
}

/** Writes random nested values of all kinds. */
function randomValue(bytes: number, random: Random, depth = 0): string {
  if (depth > 8 || bytes < 50)
    return random.pick(['1', '-0.5e3', 'null', 'true', '""', '"\\u0000"', '"a"', '[]', '{}']);
  const parts = Array.from({ length: 1 + random.integer(12) }, () => bytes * random.next());
  const sum = parts.reduce((one, other) => one + other, 0);
  const inner = parts.map((part) => randomValue((part / sum) * bytes, random, depth + 1));
  const text = random.pick(Object.values(TEXTS))(bytes / 16);
  return random.next() < 0.5 ? `[${inner}]` : `{"k":"${text}",${inner.map((value, index) => `"${index}":${value}`)}}`;
}

const LARGE: ReadonlySet<string> = new Set([MCP_PATH, '/api/v1/sites/scans']);

/** Generates the next body. */
export function fuzzedBody(endpoints: readonly JsonEndpoint[], random: Random): FuzzedBody {
  // At least every second body goes to an endpoint that accepts large ones.
  const endpoint = random.pick(random.next() < 0.5 ? endpoints : endpoints.filter(({ path }) => LARGE.has(path)));
  // There are as many bodies of 50 kB as of 5 MB: a body that is refused because of its size does not test the rest.
  const bytes = Math.floor(MIN_FUZZED_BYTES * (MAX_FUZZED_BYTES / MIN_FUZZED_BYTES) ** random.next());
  const [name, write] = random.pick(Object.entries(VALUES));
  const value = write(bytes, random);
  const { place, text } = endpoint.path === MCP_PATH ? inMessage(value, random) : inBody(endpoint, value, random);
  const whole = Buffer.from(text);
  const damage = random.weighted({ none: 8, 'cut off': 1, 'a byte that is no UTF-8': 1 });
  if (damage === 'a byte that is no UTF-8') whole[random.integer(whole.length)] = 0xff;
  const sent = damage === 'cut off' ? whole.subarray(0, random.integer(whole.length)) : whole;
  const damaged = damage === 'none' ? '' : `, ${damage}`;
  return {
    endpoint,
    description: `${endpoint.method} ${endpoint.path}: ${name} as ${place}, ${sent.length} bytes${damaged}`,
    bytes: sent,
  };
}

interface FuzzedText {
  place: string;
  text: string;
}

/** Other fields that a body needs so that a field is read. */
const REQUIRED_FIELDS: Readonly<Record<string, string>> = {
  urls: '"source":"list"',
  settings: '"url":"https://example.com"',
  include: '"action":"select"',
  exclude: '"action":"select"',
  pages: '"action":"select"',
  assets: '"action":"optimize"',
  inputs: '"preset":"web"',
};

/** Fields of objects within a body. */
const NESTED_FIELDS: Readonly<Record<string, readonly string[]>> = {
  settings: ['include', 'exclude', 'asset_exclude', 'asset_hosts', 'variants_widths', 'format', 'no_such'],
};

function inBody({ fields }: JsonEndpoint, value: string, random: Random): FuzzedText {
  const field = random.pick([...fields, ...fields, 'no_such_field']);
  if (random.next() < 0.1) return { place: 'the whole', text: value };
  const within = NESTED_FIELDS[field] && random.next() < 0.8 ? random.pick(NESTED_FIELDS[field]) : undefined;
  const own = within === undefined ? `"${field}":${value}` : `"${field}":{"${within}":${value}}`;
  const beside =
    REQUIRED_FIELDS[field] ?? (fields.includes('url') && field !== 'url' ? '"url":"https://example.com/a.jpg"' : '');
  const place = within === undefined ? field : `${field}.${within}`;
  return { place, text: `{${[beside, own].filter((part) => part !== '').join()}}` };
}

function inMessage(value: string, random: Random): FuzzedText {
  const tool = random.pick(HOSTED_TOOLS);
  const argument = random.pick([...Object.keys(tool.input.shape), 'no_such_argument']);
  const call = (id: string, name: string, args: string, meta = '{}') =>
    `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":${name},"arguments":${args},"_meta":${meta}}}`;
  const name = JSON.stringify(tool.name);
  const other = Object.hasOwn(tool.input.shape, 'url') && argument !== 'url' ? '"url":"https://127.0.0.1/a.png",' : '';
  const places: Readonly<Record<string, string>> = {
    [`the argument ${argument} of ${tool.name}`]: call(
      '1',
      name,
      `{${argument === 'data_base64' ? '' : other}"${argument}":${value}}`,
    ),
    'the arguments': call('1', name, value),
    'the name of the tool': call('1', value, '{}'),
    'the id': call(value, name, '{}'),
    'the token of the progress': call('1', name, '{}', `{"progressToken":${value}}`),
    'the metadata': call('1', name, '{}', value),
    'the parameters': `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":${value}}`,
    'the method': `{"jsonrpc":"2.0","id":1,"method":${value}}`,
    'the protocol version': `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":${value},"capabilities":{},"clientInfo":{"name":"a","version":"1"}}}`,
    'the capabilities': `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":${value},"clientInfo":{"name":"a","version":"1"}}}`,
    'the id of a cancelled request': `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":${value}}}`,
    'a result': `{"jsonrpc":"2.0","id":1,"result":${value}}`,
    'a list of messages': `[${value}]`,
    'the whole': value,
  };
  // Agents write the arguments, and every parameter has a field there, so this place is chosen more often.
  const place = random.next() < 0.4 ? Object.keys(places)[0]! : random.pick(Object.keys(places));
  return { place, text: places[place]! };
}
