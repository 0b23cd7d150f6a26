/** The tasks that read documents of websites. They run in a worker, because documents may be hostile and large. */
import { decodeDocument } from '../../../web-documents/charset.ts';
import { readManifest } from '../../../web-documents/manifest.ts';
import { readPage } from '../../../web-documents/page.ts';
import type { DocumentReading, SitemapReading } from '../../../web-documents/reading.ts';
import { readSitemapBytes } from '../../../web-documents/sitemap.ts';
import { readStylesheet } from '../../../web-documents/stylesheet.ts';
import type { WorkerContext } from '../../context.ts';
import type { DocumentInput, SitemapInput } from './input.ts';

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
const drawing = ({ references, ...reading }: DocumentReading): DocumentReading => ({
  ...reading,
  references: references.map(({ needed: _, ...reference }) => reference),
  page: null,
});

const isXml = (contentType = ''): boolean => /^\s*application\/xhtml\+xml\b/i.test(contentType);

export const runReadSitemap = async (_context: WorkerContext, input: SitemapInput): Promise<SitemapReading> =>
  await readSitemapBytes(new Uint8Array(input.document.data), input.params.url);
