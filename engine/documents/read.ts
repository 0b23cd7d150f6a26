/** The tasks that read documents of websites. They run in a worker, because documents may be hostile and large. */
import type { WorkerContext } from '../context.ts';
import { decodeDocument } from './charset.ts';
import { readManifest } from './manifest.ts';
import { readPage } from './page.ts';
import type { DocumentInput, DocumentReading, SitemapInput, SitemapReading } from './reading.ts';
import { readSitemapBytes } from './sitemap.ts';
import { readStylesheet } from './stylesheet.ts';

export async function runReadDocument(_context: WorkerContext, input: DocumentInput): Promise<DocumentReading> {
  const { kind, url, contentType } = input.params;
  const source = decodeDocument(new Uint8Array(input.document.data), contentType, kind);
  switch (kind) {
    case 'page':
      return readPage({ source, url, xml: isXml(contentType) });
    case 'svg':
      return drawing(readPage({ source, url, xml: true }));
    case 'stylesheet':
      return readStylesheet(source, url);
    case 'manifest':
      return readManifest(source, url);
  }
}

/** The style rules of an SVG match its own elements, whichever page shows it. */
function drawing({ references, ...reading }: DocumentReading): DocumentReading {
  return { ...reading, references: references.map(({ needed: _, ...reference }) => reference), page: null };
}

function isXml(contentType = ''): boolean {
  return /^\s*application\/xhtml\+xml\b/i.test(contentType);
}

export async function runReadSitemap(_context: WorkerContext, input: SitemapInput): Promise<SitemapReading> {
  return await readSitemapBytes(new Uint8Array(input.document.data), input.params.url);
}
