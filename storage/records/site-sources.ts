/** A document with references. It is fetched and read once per scan, however many documents link it. */
export interface SiteSource {
  scanId: string;
  seq: number;
  kind: 'page' | 'stylesheet' | 'manifest' | 'svg' | 'sitemap';
  /** Unique within a scan. */
  url: string;
  /** The page, if the document is a page. */
  pageSeq: number | null;
  status: 'found' | 'read' | 'failed';
}

/** A source that was read. */
export interface ReadSiteSource extends SiteSource {
  /** The document's size rules for images, as JSON; null when unknown. */
  sizing: string | null;
}

/**
 * A link between documents: a page and a style sheet, a style sheet and one that it imports, a sitemap and one that it
 * names.
 */
export interface SiteSourceLink {
  scanId: string;
  fromSeq: number;
  toSeq: number;
}

export interface SiteReference {
  scanId: string;
  /** From 1. */
  seq: number;
  sourceSeq: number;
  /** The page, for a reference in a shared document (an image sitemap) that belongs to a single page. */
  pageSeq: number | null;
  assetSeq: number;
  role: string;
  tag: string | null;
  attribute: string | null;
  raw: string;
  descriptor: string | null;
  media: string | null;
  sizes: string | null;
  type: string | null;
  alt: string | null;
  loading: string | null;
  declaredWidth: number | null;
  declaredHeight: number | null;
  displayedWidth: number | null;
  displayedHeight: number | null;
  displayedSource: string;
  line: number;
  column: number;
  inNoscript: number;
  imageNumber: number | null;
  lacksDimensions: number;
  lacksAlt: number;
  lazy: number;
  preloaded: number;
  candidates: number;
  /** JSON, alternatives of element names as numbers. On pages that match none of them a browser does not load it. */
  needed: string | null;
  /** Number of the element that shows it, within its document. */
  element: number | null;
}
