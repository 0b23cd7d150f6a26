/** Test helpers: a project in a folder, a package for it, and a client of the MCP SDK for the local server. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { lstat, mkdir, readdir, readFile } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { type CallToolResult, Client, InMemoryTransport, type Tool } from '@modelcontextprotocol/client';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { type Zippable, zipSync } from 'fflate';
import sharp, { type OutputInfo } from 'sharp';
import type { ErrorCode } from '../../base/failure.ts';
import { createLocalServer } from '../../codemod/server.ts';
import type { MarkupPlace } from '../../replacement-package/markup-place.ts';
import type { Replacement } from '../../replacement-package/replacement.ts';
import { assertTextMatchesStructured, MAX_LIST_BYTES } from '../server/mcp/facts.ts';
import { withFolder, writeFiles } from '../support/folder.ts';
import { type McpRevision, speaking } from '../support/mcp-revisions.ts';
import { jpeg, pattern } from '../support/test-images.ts';

export const DOMAIN = 'example.com';
export const PACKAGE_ID = 'pack_0123456789abcdef0123456789';

export const sha256 = (data: Uint8Array | string): string => createHash('sha256').update(data).digest('hex');

const photos = new Map<number, Promise<Buffer>>();

/** Returns a different JPEG for every number. */
export function photo(number: number): Promise<Buffer> {
  const made = photos.get(number) ?? jpeg(pattern(64 + number, 48));
  photos.set(number, made);
  return made;
}

type Encoded = Promise<{ data: Buffer; info: OutputInfo }>;
const encodings = new Map<string, Encoded>();

/** Encodes an image for a package, once per process: most tests use the same few images. */
function encode(data: Buffer, format: string, width?: number): Encoded {
  const name = `${sha256(data)} ${format} ${width}`;
  const made =
    encodings.get(name) ??
    sharp(data)
      .resize(width)
      .toFormat(format as 'webp', { quality: format === 'avif' ? 40 : 60 })
      .toBuffer({ resolveWithObject: true });
  encodings.set(name, made);
  return made;
}

/** The files of a project or a package, by path. */
export type Files = Record<string, string | Uint8Array>;

/** Returns the hash and the permissions of every file in a folder, without `.git` and the server's own folder `.ic`. */
export async function snapshot(folder: string, path = ''): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const entry of await readdir(join(folder, path), { withFileTypes: true })) {
    const name = path === '' ? entry.name : `${path}/${entry.name}`;
    if (name === '.ic' || name === '.git') continue;
    if (entry.isDirectory()) Object.assign(found, await snapshot(folder, name));
    else if (entry.isFile()) {
      const { mode } = await lstat(join(folder, name));
      found[name] = `${sha256(await readFile(join(folder, name)))} ${(mode & 0o777).toString(8)}`;
    } else found[name] = 'other';
  }
  return found;
}

export interface ScannedImage {
  /** Its path on the site, or its full address. */
  at: string;
  data: Buffer;
  more?: Partial<Replacement>;
  /** The package has a file of half the width in addition to one of the full width. */
  isResized?: boolean;
  /** The package has AVIF files in addition to the WebP ones. */
  hasAvif?: boolean;
  /** Widths of the copies in its `srcset`, in pixels. */
  widths?: readonly number[];
}

/** Creates the files of a package that replaces images by WebP ones. */
export async function packageFiles(
  images: readonly ScannedImage[],
  settings: object = {},
  scannedPages: readonly string[] = [],
  markupPlaces: readonly MarkupPlace[] = [],
): Promise<Files> {
  const files: Files = {};
  const replacements: Replacement[] = [];
  for (const [index, { at, data, more, isResized = false, hasAvif = false, widths = [] }] of images.entries()) {
    const url = new URL(at, `https://${DOMAIN}`);
    const { width, height, format } = await sharp(data).metadata();
    const toFormat = more?.to_format ?? 'webp';
    const { data: converted } = await encode(data, toFormat);
    const ending = toFormat === format ? `min${extname(new URL(at, `https://${DOMAIN}`).pathname)}` : toFormat;
    const path = decodeURIComponent(url.pathname);
    const name = basename(path, extname(path));
    const folder = `files${dirname(path) === '/' ? '' : dirname(path)}`;
    const to = `${folder}/${name}.${ending}`;
    const { data: half } = isResized ? await encode(data, toFormat, Math.ceil(width / 2)) : { data: converted };
    const whole = `${name}-${width}.${ending}`;
    const srcset: Replacement['srcset'] = [];
    for (const each of widths) {
      const copy = await encode(data, toFormat, each);
      const copyName = `${name}.${each}w.${ending}`;
      files[`${folder}/${copyName}`] = copy.data;
      srcset.push({
        to: `${folder}/${copyName}`,
        to_path: new URL(copyName, url).pathname,
        sha256: sha256(copy.data),
        bytes: copy.data.length,
        width: copy.info.width,
        height: copy.info.height,
      });
    }
    const line: Replacement = {
      seq: index + 1,
      from: url.href,
      from_path: url.pathname + url.search,
      raw: [at],
      to,
      to_path: new URL(`${name}.${ending}`, url).pathname,
      from_sha256: sha256(data),
      from_bytes: data.length,
      from_format: format,
      from_width: width,
      from_height: height,
      to_sha256: sha256(converted),
      to_bytes: converted.length,
      to_format: 'webp',
      to_width: width,
      to_height: height,
      saved_bytes: data.length - converted.length,
      similarity: 0.99,
      approval: 'auto',
      srcset,
      unresized: null,
      avif: null,
      srcset_markup: null,
      roles: ['img_src'],
      pages: [`https://${DOMAIN}/`],
      pages_total: 1,
      ...more,
    };
    if (isResized) {
      const unresized = {
        to: `${folder}/${whole}`,
        to_path: new URL(whole, url).pathname,
        sha256: line.to_sha256,
        bytes: line.to_bytes,
        width,
        height,
        ...more?.unresized,
      };
      files[unresized.to] = converted;
      const resized = {
        to_sha256: sha256(half),
        to_bytes: half.length,
        to_width: Math.ceil(width / 2),
        to_height: Math.ceil(height / 2),
      };
      Object.assign(line, resized, { unresized });
    }
    if (hasAvif) {
      const avifOf = async (copy: { to: string; to_path: string }, own: number) => {
        const image = await encode(data, 'avif', own);
        const [to, to_path] = [copy.to, copy.to_path].map((each) => each.replace(/\.[a-z]+$/, '.avif'));
        files[to!] = image.data;
        const { width, height, size } = image.info;
        return { to: to!, to_path: to_path!, sha256: sha256(image.data), bytes: size, width, height };
      };
      const { unresized } = line;
      line.avif = {
        ...(await avifOf(line, line.to_width)),
        unresized: unresized && (await avifOf(unresized, width)),
        ...more?.avif,
      };
    }
    replacements.push(line);
    files[line.to] = isResized ? half : converted;
  }
  files['mapping.json'] = JSON.stringify({
    contract_version: 1,
    package_id: PACKAGE_ID,
    scan_id: 'scan_01JD3Z8Q4W0V6S8H2N5B7C9E1F',
    domain: DOMAIN,
    created_at: '2026-11-20T10:00:00.000Z',
    settings,
    totals: null,
    replacements,
    scanned_pages: scannedPages,
    markup_places: markupPlaces,
  });
  return files;
}

export function zipped(files: Files): Uint8Array {
  const entries: Zippable = {};
  for (const [name, data] of Object.entries(files)) entries[name] = typeof data === 'string' ? Buffer.from(data) : data;
  return zipSync(entries);
}

export type Structured = Record<string, unknown>;

export class LocalServerClient {
  readonly folder: string;
  readonly faults: unknown[] = [];
  readonly #client: Client;

  constructor(folder: string, client: Client) {
    this.folder = folder;
    this.#client = client;
  }

  async call(name: string, args: Structured = {}): Promise<Structured> {
    const { structuredContent, isError } = await this.#send(name, args);
    assert.ok(!isError, JSON.stringify(structuredContent));
    const structured = structuredContent as Structured;
    assert.equal(structured.contract_version, 1);
    return structured;
  }

  /**
   * Calls a tool that must fail.
   * @returns the error
   */
  async fails(code: ErrorCode, name: string, args: Structured = {}): Promise<Structured> {
    const { structuredContent, isError } = await this.#send(name, args);
    assert.ok(isError, `expected ${code}: ${JSON.stringify(structuredContent).slice(0, 500)}`);
    const { error } = structuredContent as { error: Structured };
    assert.equal(error.code, code, String(error.message));
    assert.match(String(error.message), /^[A-Z].+[.]$/);
    assert.match(String(error.hint), /^[A-Z].+[.]$/);
    return error;
  }

  async #send(name: string, args: Structured): Promise<CallToolResult> {
    const result = (await this.#client.callTool({ name, arguments: args })) as CallToolResult;
    assert.deepEqual(this.faults, []);
    const { error, ...facts } = result.structuredContent as Structured & { error?: object };
    const [first] = result.content;
    assert.ok(first?.type === 'text');
    assertTextMatchesStructured(error ?? facts, first.text);
    return result;
  }

  async text(path: string): Promise<string> {
    return await readFile(join(this.folder, path), 'utf8');
  }

  /** Returns the input schema of each tool. */
  async schemas(): Promise<Map<string, Tool['inputSchema']>> {
    const { tools } = await this.#client.listTools();
    assert.ok(JSON.stringify(tools).length < MAX_LIST_BYTES);
    return new Map(tools.map(({ name, inputSchema }) => [name, inputSchema]));
  }
}

export interface LocalServerOptions {
  /** Names the Chromium to use; by default there is none. */
  env?: NodeJS.ProcessEnv;
  baseUrl?: string;
  key?: string;
  /** Answers the questions of the server. Without it the client does not support elicitation. */
  answer?: (question: string) => 'accept' | 'decline' | 'cancel';
  /** Of MCP, that the client speaks. */
  revision?: McpRevision;
}

/** Runs `work` with a new server on the folder, which remembers nothing, as in a new process. */
export async function withServerOn<T>(
  folder: string,
  work: (desk: LocalServerClient) => Promise<T>,
  { baseUrl = 'http://127.0.0.1:9', key, answer, env = {}, revision = '2025-11-25' }: LocalServerOptions = {},
): Promise<T> {
  const capabilities = answer ? { elicitation: {} } : {};
  const client = new Client({ name: 'test', version: '1' }, { capabilities, ...speaking(revision) });
  const desk = new LocalServerClient(folder, client);
  const createServer = await createLocalServer({
    root: folder,
    baseUrl,
    key,
    version: '1',
    env,
    onFault: (error) => desk.faults.push(error),
  });
  if (answer) {
    client.setRequestHandler('elicitation/create', ({ params }) => {
      const action = answer(params.message);
      return action === 'accept' ? { action, content: {} } : { action };
    });
  }
  const [here, there] = InMemoryTransport.createLinkedPair();
  serveStdio(createServer, { transport: there });
  await client.connect(here);
  try {
    return await work(desk);
  } finally {
    await client.close();
  }
}

/** Runs `work` with a project of these files in a new folder. */
export async function withProject<T>(
  files: Files,
  work: (desk: LocalServerClient) => Promise<T>,
  options: LocalServerOptions = {},
): Promise<T> {
  return await withFolder(async (folder) => {
    const root = join(folder, 'project');
    await mkdir(root);
    await writeFiles(root, files);
    return await withServerOn(root, work, options);
  });
}

/** Runs `work` with a project into which a package of images has been loaded. */
export async function withLoadedPackage<T>(
  files: Files,
  images: readonly ScannedImage[],
  work: (desk: LocalServerClient) => Promise<T>,
  options: LocalServerOptions & {
    settings?: object;
    scannedPages?: readonly string[];
    markupPlaces?: readonly MarkupPlace[];
  } = {},
): Promise<T> {
  const content = await packageFiles(images, options.settings, options.scannedPages, options.markupPlaces);
  return await withProject(
    files,
    async (desk) => {
      await writeFiles(desk.folder, { '.ic/incoming.zip': zipped(content) });
      await desk.call('load_replacement_package', { path: '.ic/incoming.zip' });
      return await work(desk);
    },
    options,
  );
}
