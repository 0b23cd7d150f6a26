/**
 * Reads sitemaps (sitemaps.org protocol 0.9, with Google's image extension), as XML or plain text. Also reads feeds
 * used as sitemaps.
 */
import { createGunzip } from 'node:zlib';
import { AddressList } from './address-list.ts';
import { decodeDocument } from './charset.ts';
import { type Attributes, Markup, type MarkupHandler } from './markup.ts';
import type { SitemapReading } from './reading.ts';
import { Resolver } from './resolver.ts';
import { LineIndex, type SourceText, SourceTextBuilder, trimmed } from './source-text.ts';

/** The limits of the protocol. */
const MAX_BYTES = 50_000_000;
const MAX_ENTRIES = 50_000;
const MAX_IMAGES = 50_000;
const MAX_LINE_LENGTH = 8192;
/** Maximum total length, separately for the pages, the sitemaps and the images. */
const MAX_CHARACTERS = 16_000_000;

/** @param url address of the sitemap. Its entries may be relative, although the protocol forbids it */
export async function readSitemapBytes(bytes: Uint8Array, url: string): Promise<SitemapReading> {
  const packed = bytes[0] === 0x1f && bytes[1] === 0x8b;
  const { content, whole } = packed
    ? await unpack(bytes)
    : { content: bytes.subarray(0, MAX_BYTES), whole: bytes.length <= MAX_BYTES };
  const text = decodeDocument(content, undefined, 'sitemap');
  const reading = /^\s*</.test(text.slice(0, MAX_LINE_LENGTH))
    ? new SitemapReader(text, url).read()
    : readLines(text, url);
  return { ...reading, faulty: reading.faulty || (!whole && !reading.truncated) };
}

/** Decompresses as much as possible, up to the limit. */
async function unpack(bytes: Uint8Array): Promise<{ content: Uint8Array; whole: boolean }> {
  const gunzip = createGunzip();
  const chunks: Uint8Array[] = [];
  let length = 0;
  gunzip.end(bytes);
  try {
    for await (const chunk of gunzip as AsyncIterable<Uint8Array>) {
      chunks.push(chunk);
      length += chunk.length;
      if (length > MAX_BYTES) return { content: Buffer.concat(chunks).subarray(0, MAX_BYTES), whole: false };
    }
    return { content: Buffer.concat(chunks), whole: true };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code?.startsWith('Z_'))
      return { content: Buffer.concat(chunks), whole: false };
    throw error;
  }
}

/** Reads one address per line. Ignores lines that are not addresses. */
function readLines(text: string, url: string): SitemapReading {
  const pages = new AddressList(MAX_ENTRIES, MAX_CHARACTERS);
  const resolver = new Resolver();
  let entries = 0;
  let at = 0;
  while (at < text.length && entries < MAX_ENTRIES && !pages.full && !resolver.exhausted) {
    const lineEnd = text.indexOf('\n', at);
    const end = lineEnd === -1 ? text.length : lineEnd;
    const line = end - at <= MAX_LINE_LENGTH ? text.slice(at, end).trim() : '';
    at = end + 1;
    if (!/^https?:/i.test(line)) continue;
    entries++;
    pages.add(resolver.page(line, url));
  }
  return {
    sitemaps: [],
    pages: pages.all,
    images: [],
    truncated: text.slice(at).trim() !== '',
    faulty: pages.isEmpty,
  };
}

/** Root elements with the name of their entries, and the elements of an entry that hold its address. */
const ENTRIES: Readonly<Record<string, string>> = {
  urlset: 'url',
  sitemapindex: 'sitemap',
  rss: 'item',
  rdf: 'item',
  feed: 'entry',
};
const ADDRESSES = new Set(['loc', 'link']);
const ATTRIBUTES = new Set(['href', 'rel']);

interface Entry {
  address: string | undefined;
  images: { text: SourceText; url: string }[];
}

class SitemapReader implements MarkupHandler {
  readonly #source: string;
  readonly #url: string;
  readonly #markup: Markup;
  readonly #resolver = new Resolver();
  readonly #sitemaps = new AddressList(MAX_ENTRIES, MAX_CHARACTERS);
  readonly #pages = new AddressList(MAX_ENTRIES, MAX_CHARACTERS);
  readonly #images: SitemapReading['images'] = [];
  #imageCharacters = 0;
  #places: LineIndex | undefined;
  #root: string | undefined;
  #rootClosed = false;
  #entries = 0;
  #truncated = false;
  #entry: Entry | undefined;
  #inImage = false;
  /** The address being read. */
  #address: SourceTextBuilder | undefined;

  constructor(source: string, url: string) {
    this.#source = source;
    this.#url = url;
    this.#markup = new Markup(source, this, true);
  }

  read(): SitemapReading {
    this.#markup.read();
    return {
      sitemaps: this.#sitemaps.all,
      pages: this.#pages.all,
      images: this.#images,
      truncated: this.#truncated || this.#resolver.exhausted,
      faulty: this.#root === undefined || !Object.hasOwn(ENTRIES, this.#root) || !(this.#rootClosed || this.#truncated),
    };
  }

  wants(attribute: string): boolean {
    return ATTRIBUTES.has(attribute);
  }

  foreign(): boolean {
    return true;
  }

  open(name: string, attributes: Attributes, empty: boolean): void {
    if (this.#root === undefined) this.#start(name, empty);
    else if (name === ENTRIES[this.#root]) this.#startEntry();
    else if (!this.#entry) return;
    else if (name === 'image') this.#inImage = !empty;
    else if (ADDRESSES.has(name)) this.#startAddress(attributes, empty);
  }

  #start(root: string, empty: boolean): void {
    this.#root = root;
    this.#rootClosed = empty;
    if (!Object.hasOwn(ENTRIES, root)) this.#markup.stop();
  }

  #startEntry(): void {
    this.#endEntry();
    if (this.#entries >= MAX_ENTRIES || this.#resolver.exhausted) {
      this.#truncate();
      return;
    }
    this.#entries++;
    this.#entry = { address: undefined, images: [] };
  }

  /** An Atom feed has addresses in attributes. Of an entry's links, only the one to the page itself counts. */
  #startAddress(attributes: Attributes, empty: boolean): void {
    const href = attributes.get('href')?.text;
    if (href !== undefined) {
      const relation = attributes.get('rel')?.text.trim().toLowerCase() ?? 'alternate';
      if (this.#root === 'feed' && relation === 'alternate')
        this.#entry!.address ??= this.#resolver.page(href, this.#url);
    } else if (!empty) this.#address = new SourceTextBuilder(this.#source);
  }

  close(name: string): void {
    if (ADDRESSES.has(name)) this.#endAddress();
    else if (name === 'image') this.#inImage = false;
    else if (this.#root !== undefined && name === ENTRIES[this.#root]) this.#endEntry();
    else if (name === this.#root) this.#rootClosed = true;
  }

  text(start: number, end: number): void {
    this.#address?.literal(start, end);
  }

  textReference(codePoint: number, start: number, end: number): void {
    this.#address?.references([codePoint], start, end);
  }

  #endAddress(): void {
    const text = this.#address?.build();
    this.#address = undefined;
    if (!text?.text.trim() || !this.#entry) return;
    if (this.#inImage) this.#addImage(this.#entry, text);
    else this.#entry.address ??= this.#resolver.page(text.text, this.#url);
  }

  #addImage(entry: Entry, text: SourceText): void {
    if (entry.images.length >= MAX_IMAGES) return;
    const url = this.#resolver.address(text.text, this.#url);
    if (url !== undefined) entry.images.push({ text, url });
  }

  #endEntry(): void {
    this.#endAddress();
    const entry = this.#entry;
    this.#entry = undefined;
    this.#inImage = false;
    if (entry?.address === undefined) return;
    const addresses = this.#root === 'sitemapindex' ? this.#sitemaps : this.#pages;
    if (addresses.full) {
      this.#truncate();
      return;
    }
    addresses.add(entry.address);
    for (const { text, url } of entry.images) {
      if (this.#images.length >= MAX_IMAGES || this.#imageCharacters >= MAX_CHARACTERS) {
        this.#truncated = true;
        return;
      }
      const image = { pageUrl: entry.address, url, ...this.#spelling(text) };
      this.#imageCharacters += image.pageUrl.length + url.length + image.raw.length;
      this.#images.push(image);
    }
  }

  #truncate(): void {
    this.#truncated = true;
    this.#markup.stop();
  }

  #spelling(text: SourceText): { raw: string; line: number; column: number } {
    this.#places ??= new LineIndex(this.#source);
    const { start, end } = text.range(trimmed(text.text));
    return { raw: this.#source.slice(start, end), ...this.#places.at(start) };
  }
}
