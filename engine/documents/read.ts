/** The tasks that read documents of websites. They run in a worker: a document may be hostile, and large. */
import { Parser } from 'htmlparser2';
import type { WorkerContext } from '../context.ts';
import { normalizeAddress, pageAddress } from './address.ts';
import type { DocumentInput, DocumentReading, ImageReference, SitemapInput, SitemapReading } from './reading.ts';

export async function runReadDocument(_context: WorkerContext, input: DocumentInput): Promise<DocumentReading> {
  const { kind, url } = input.params;
  const source = new TextDecoder().decode(input.document.data);
  const references: ImageReference[] = [];
  const links = new Set<string>();
  if (kind !== 'page') return { references, inlineImages: [], stylesheets: [], page: null };
  let imageNumber = 0;
  const parser = new Parser({
    onopentag(name, attributes) {
      const link = name === 'a' && attributes.href !== undefined ? pageAddress(attributes.href, url) : undefined;
      if (link) links.add(link);
      const address =
        name === 'img' && attributes.src !== undefined ? normalizeAddress(attributes.src, url) : undefined;
      if (!address) return;
      const raw = attributes.src!;
      const before = source.slice(0, source.indexOf(raw, parser.startIndex));
      imageNumber++;
      references.push({
        role: 'img_src',
        url: address,
        tag: 'img',
        attribute: 'src',
        raw,
        descriptor: null,
        media: null,
        sizes: null,
        type: null,
        alt: attributes.alt ?? null,
        loading: attributes.loading ?? null,
        declaredWidth: Number.parseInt(attributes.width ?? '', 10) || null,
        declaredHeight: Number.parseInt(attributes.height ?? '', 10) || null,
        displayedWidth: null,
        displayedHeight: null,
        displayedSource: 'unknown',
        line: before.split('\n').length,
        column: before.length - before.lastIndexOf('\n'),
        inNoscript: false,
        imageNumber,
        lacksDimensions: attributes.width === undefined || attributes.height === undefined,
        lacksAlt: attributes.alt === undefined,
        lazy: attributes.loading === 'lazy',
        preloaded: false,
        candidates: 1,
      });
    },
  });
  parser.end(source);
  const page = { title: null, canonicalUrl: null, links: [...links], manifestUrl: null, needsJavaScript: false };
  return { references, inlineImages: [], stylesheets: [], page };
}

export async function runReadSitemap(_context: WorkerContext, input: SitemapInput): Promise<SitemapReading> {
  const source = new TextDecoder().decode(input.document.data);
  const pages = [...source.matchAll(/<loc>\s*([^<\s]+)\s*<\/loc>/g)]
    .map(([, address]) => pageAddress(address!, input.params.url))
    .filter((address) => address !== undefined);
  return { sitemaps: [], pages, images: [], truncated: false, faulty: pages.length === 0 };
}
