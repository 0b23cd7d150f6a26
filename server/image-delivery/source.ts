/** Finds and reads the source of an image: an address of the web, or a file in a folder of the operator (IC_SOURCES). */
import { constants } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import { join, posix, sep } from 'node:path';
import type { SourceFile } from '../../engine/source-file.ts';
import { fileTooLarge, invalidRequest } from '../http/errors.ts';
import type { Outgoing } from '../http/outgoing.ts';
import { parseUrl } from '../http/web-address.ts';
import { sourceNotAllowed, sourceNotFound } from './errors.ts';
import { decodeText } from './options.ts';

/** In characters. */
export const MAX_SOURCE_LENGTH = 2048;

const PLAIN = 'plain/';
const STORE = 'store:';
const BASE64URL = /^[A-Za-z0-9_-]+$/;

export type ImageSource =
  /** `text` is the address in its normal form. */
  | { kind: 'url'; text: string; host: string }
  /** `text` is `store:name/path`. */
  | { kind: 'store'; text: string; name: string; path: string };

/**
 * Reads the source part of an address: `plain/` and an address, an address in base64url, or `store:name/path`.
 * @throws Failure 400 `invalid_request` or `invalid_url`
 */
export function parseSource(part: string): ImageSource {
  if (part.startsWith(STORE)) return storeSource(decodeText(part.slice(STORE.length)));
  if (part.startsWith(PLAIN)) return urlSource(decodeText(part.slice(PLAIN.length)));
  if (!BASE64URL.test(part))
    throw invalidRequest('plain/ADDRESS, an address in base64url, or store:NAME/PATH', 'source', 'something else');
  return urlSource(Buffer.from(part, 'base64url').toString());
}

/** Writes a source as the records have it; a text that is no source stays as it is. */
export function normalSource(text: string): string {
  try {
    return (text.startsWith(STORE) ? storeSource(text.slice(STORE.length)) : urlSource(text)).text;
  } catch {
    return text;
  }
}

function urlSource(text: string): ImageSource {
  // Proxies often merge the two slashes of a path.
  const url = parseUrl(text.replace(/^(https?):[/](?![/])/, '$1://'), 'source');
  url.hash = '';
  return { kind: 'url', text: url.href, host: url.hostname };
}

function storeSource(text: string): ImageSource {
  const slash = text.indexOf('/');
  // One text for each file: others would be made, counted and purged apart.
  const [name, path] = [text.slice(0, Math.max(0, slash)), posix.normalize(text.slice(slash + 1)).replace(/^[/]+/, '')];
  if (slash < 1 || path === '' || path === '.' || path.includes('\0') || text.length > MAX_SOURCE_LENGTH)
    throw invalidRequest('store:NAME/PATH', 'source', 'another text');
  return { kind: 'store', text: `${STORE}${name}/${path}`, name, path };
}

/** Whether a host is one of a list whose items may begin with `*.`, for all names below. */
export const isListedHost = (host: string, hosts: readonly string[]): boolean =>
  hosts.some((each) => (each.startsWith('*.') ? host.endsWith(each.slice(1)) : host === each));

export interface SourceReading {
  outgoing: Pick<Outgoing, 'fetchImage'>;
  /** Folders by name. */
  folders: ReadonlyMap<string, string>;
  maxBytes: number;
  /** Called with the new size before more is taken into memory. It throws if there is no room. */
  reserve(bytes: number): void;
  signal: AbortSignal;
}

/**
 * Reads the bytes of a source.
 * @throws Failure `not_found`, `file_too_large`, and those of a fetch
 */
export async function readSource(source: ImageSource, reading: SourceReading): Promise<SourceFile> {
  if (source.kind === 'store') return await readStored(source, reading);
  const { maxBytes, reserve, outgoing, signal } = reading;
  const { data, filename } = await outgoing.fetchImage(source.text, { maxBytes, reserve, signal });
  return { data, ...(filename === undefined ? {} : { filename }) };
}

async function readStored(
  { name, path }: Extract<ImageSource, { kind: 'store' }>,
  { folders, maxBytes, reserve }: SourceReading,
): Promise<SourceFile> {
  const folder = folders.get(name);
  if (folder === undefined) throw sourceNotAllowed(name);
  // Links are followed before the folder is compared, so that neither `..` nor a link leads out of it.
  const root = await realpath(folder).catch(() => undefined);
  // As a disk that is not mounted.
  if (root === undefined) throw sourceNotFound();
  const file = await realpath(join(root, path)).catch(() => undefined);
  if (file === undefined || !file.startsWith(root + sep)) throw sourceNotFound();
  // Opening a pipe would otherwise wait for its other end.
  const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK).catch(() => undefined);
  if (!handle) throw sourceNotFound();
  try {
    const facts = await handle.stat();
    if (!facts.isFile()) throw sourceNotFound();
    if (facts.size > maxBytes) throw fileTooLarge(maxBytes, 'source');
    reserve(facts.size);
    const data = new ArrayBuffer(facts.size);
    const bytes = new Uint8Array(data);
    for (let at = 0; at < bytes.length; ) {
      const { bytesRead } = await handle.read(bytes, at, bytes.length - at, at);
      // It was shortened meanwhile.
      if (bytesRead === 0) throw sourceNotFound();
      at += bytesRead;
    }
    return { data, filename: path.slice(path.lastIndexOf('/') + 1) };
  } finally {
    await handle.close();
  }
}
