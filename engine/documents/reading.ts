/**
 * What the reading of a document of a website leads to: the images that it refers to, each with its place, and where else
 * to look. Types only. The names of the fields are those of spec/shapes.md, sections 16.2 and 17.6.
 */
import type { ReferenceRole } from '../../base/reference-roles.ts';
import type { FormatId } from '../../codecs/formats.ts';
import type { SourceFile } from '../source-file.ts';
import type { NeededNames } from './names.ts';
import type { PageSizing } from './sizing/elements.ts';
import type { SizingRules } from './sizing/rules.ts';

export type { ReferenceRole };

export type DisplayedSource = 'attribute' | 'style' | 'sizes' | 'descriptor' | 'rendered' | 'unknown';

/** One place in a source that names an image. */
export interface ImageReference {
  role: ReferenceRole;
  /** Absolute and normalised; of a data URI `data:image/png;sha256,<hex>`, the same for the same bytes. */
  url: string;
  /** Lower-case name of the element; null in style sheets, manifests and sitemaps. */
  tag: string | null;
  attribute: string | null;
  /** Exactly as in the source, character references and escapes included; of a data URI its first 200 characters. */
  raw: string;
  /** `2x`, `800w`. */
  descriptor: string | null;
  media: string | null;
  sizes: string | null;
  /** `type` of a `source` or `link`. */
  type: string | null;
  alt: string | null;
  loading: string | null;
  /** Pixels, of the attributes. */
  declaredWidth: number | null;
  declaredHeight: number | null;
  /** CSS pixels times device pixels of the largest view (spec/shapes.md, section 16.3). */
  displayedWidth: number | null;
  displayedHeight: number | null;
  displayedSource: DisplayedSource;
  /** From 1, of the first character of `raw`; columns count UTF-16 code units. 0 for `/favicon.ico` where no page names it. */
  line: number;
  column: number;
  inNoscript: boolean;
  /**
   * Counts the `img` elements of a page from 1 (outside `noscript`); the sources of a `picture` have that of its `img`; null
   * for what is neither.
   */
  imageNumber: number | null;
  /** Facts that findings are made from; false for what is no `img`. */
  lacksDimensions: boolean;
  lacksAlt: boolean;
  /** `loading=lazy` or a lazy attribute. */
  lazy: boolean;
  /** The page also preloads this address. */
  preloaded: boolean;
  /** Of a rule of a style sheet that matches on some pages alone. */
  needed?: NeededNames;
  /** Number of the element that shows it among those of the page; null where none does. */
  element: number | null;
  /** Places that one of is shown, itself among them: all of an `img` and of the `picture` around it. */
  candidates: number;
}

/** An image inside the document itself, without its bytes. */
export interface InlineImage {
  /** As in {@link ImageReference.url}. */
  url: string;
  sha256: string;
  /** As the URI declares it. */
  contentType: string;
  /** By content; null where it is none that is known. */
  format: FormatId | null;
  bytes: number;
  /** From the header; null where it does not tell. */
  width: number | null;
  height: number | null;
}

/** What a document says of how large images are shown: its rules, and of a page the elements that they are about. */
export interface DocumentSizing extends SizingRules {
  /** Null of what is no page. */
  page: PageSizing | null;
}

/** What a page leads to besides images. */
export interface PageFacts {
  title: string | null;
  canonicalUrl: string | null;
  /** `a`, `area`, `link`, `iframe` and meta refresh: absolute, without fragments, each once, in their order. */
  links: string[];
  manifestUrl: string | null;
  /** What its elements are called, as numbers (names.ts); undefined where there is too much, or scripts fill it. */
  names: number[] | undefined;
  /** Little content and an empty root of a framework (section 16.1, step 7). */
  needsJavaScript: boolean;
}

/** The reading of a page, a style sheet, a web manifest or an SVG. */
export interface DocumentReading {
  references: ImageReference[];
  inlineImages: InlineImage[];
  /** More images or style sheets than are taken of one document: the rest was left out. */
  truncated: boolean;
  /** Style sheets that it links or imports: absolute, each once, in their order. */
  stylesheets: string[];
  /** {@link DocumentSizing} as JSON, to be stored; null where more decides how large images are shown than can be read. */
  sizing: string | null;
  /** Only of a page. */
  page: PageFacts | null;
}

export interface SitemapReading {
  /** Addresses of further sitemaps. */
  sitemaps: string[];
  pages: string[];
  /** Images by the page that they belong to; `raw`, `line` and `column` as in {@link ImageReference}. */
  images: { pageUrl: string; url: string; raw: string; line: number; column: number }[];
  /** More entries than the protocol allows: the rest was left out. */
  truncated: boolean;
  /** It is no sitemap, or breaks off. What could be read is there. */
  faulty: boolean;
}

export type DocumentKind = 'page' | 'stylesheet' | 'manifest' | 'svg';

export interface DocumentInput {
  /** Without content coding. */
  document: SourceFile;
  params: {
    kind: DocumentKind;
    /** Where it was found in the end: absolute. */
    url: string;
    /** The header, with its charset. */
    contentType: string | undefined;
  };
}

export interface SitemapInput {
  /** May be packed with gzip. */
  document: SourceFile;
  params: { url: string };
}
