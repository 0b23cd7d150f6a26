/**
 * The result of reading a document of a website: the images that it refers to, with their positions, and where to look
 * further. Types only. The field names are those of docs/spec/shapes.md, sections 16.2 and 17.6.
 */
import type { ReferenceRole } from '../base/reference-roles.ts';
import type { FormatId } from '../codecs/formats/registry.ts';
import type { RequiredNames } from './names.ts';
import type { PageSizing } from './sizing/elements.ts';
import type { SizingRules } from './sizing/rules.ts';

export type { ReferenceRole };

export type DisplayedSource = 'attribute' | 'style' | 'sizes' | 'descriptor' | 'rendered' | 'unknown';

/** One position in a source that names an image. */
export interface ImageReference {
  role: ReferenceRole;
  /** Absolute and normalised. For a data URI, `data:image/png;sha256,<hex>`, equal for equal bytes. */
  url: string;
  /** Lower-case name of the element; null in style sheets, manifests and sitemaps. */
  tag: string | null;
  attribute: string | null;
  /** Exactly as in the source, including character references and escapes. For a data URI, its first 200 characters. */
  raw: string;
  /** `2x`, `800w`. */
  descriptor: string | null;
  media: string | null;
  sizes: string | null;
  /** `type` of a `source` or `link`. */
  type: string | null;
  alt: string | null;
  loading: string | null;
  /** In pixels, from the attributes. */
  declaredWidth: number | null;
  declaredHeight: number | null;
  /** CSS pixels times device pixels per CSS pixel, for the largest view (docs/spec/shapes.md, section 16.3). */
  displayedWidth: number | null;
  displayedHeight: number | null;
  displayedSource: DisplayedSource;
  /**
   * Position of the first character of `raw`, from 1; columns count UTF-16 code units. 0 for a `/favicon.ico` that no
   * page names.
   */
  line: number;
  column: number;
  inNoscript: boolean;
  /**
   * Number of the `img` element in the page, from 1, not counting those in `noscript`. The sources of a `picture` have
   * the number of its `img`. Null for other references.
   */
  imageNumber: number | null;
  /** Facts that findings are made from; false if the element is no `img`. */
  lacksDimensions: boolean;
  lacksAlt: boolean;
  /** Whether it has `loading=lazy` or a lazy attribute. */
  lazy: boolean;
  /** Whether the page also preloads this address. */
  preloaded: boolean;
  /** Set if the reference is in a style rule that matches only on some pages. */
  needed?: RequiredNames;
  /** Index of the element that shows it, in the element list of the page; null if there is none. */
  element: number | null;
  /**
   * Number of alternatives of which a browser shows one, including this one: all candidates of an `img` and of the
   * `picture` around it.
   */
  candidates: number;
}

/** An image inside the document itself, without its bytes. */
export interface InlineImage {
  /** As in {@link ImageReference.url}. */
  url: string;
  sha256: string;
  /** As declared by the URI. */
  contentType: string;
  /** Detected from the content; null if unknown. */
  format: FormatId | null;
  bytes: number;
  /** From the header; null if it does not say. */
  width: number | null;
  height: number | null;
}

/** What a document says about the displayed size of images: its style rules and, for a page, its elements. */
export interface DocumentSizing extends SizingRules {
  /** Null if the document is not a page. */
  page: PageSizing | null;
}

/** Facts about a page besides its images. */
export interface PageFacts {
  title: string | null;
  canonicalUrl: string | null;
  /**
   * Targets of `a`, `area`, `link`, `iframe` and meta refresh: absolute, without fragments and duplicates, in order.
   */
  links: string[];
  manifestUrl: string | null;
  /**
   * Names of the page's elements, as numbers (names.ts). Undefined if there are too many, or if scripts fill the page.
   */
  names: number[] | undefined;
  /** The page has little content and an empty root of a framework (section 16.1, step 7). */
  needsJavaScript: boolean;
}

/** The reading of a page, a style sheet, a web manifest or an SVG. */
export interface DocumentReading {
  references: ImageReference[];
  inlineImages: InlineImage[];
  /** Whether the document has more images or style sheets than the limit. The rest was left out. */
  truncated: boolean;
  /** Style sheets that it links or imports: absolute, without duplicates, in order. */
  stylesheets: string[];
  /**
   * {@link DocumentSizing} as JSON, to be stored. Null if the displayed sizes also depend on something that cannot be
   * read.
   */
  sizing: string | null;
  /** Set only for a page. */
  page: PageFacts | null;
}

export interface SitemapReading {
  /** Addresses of further sitemaps. */
  sitemaps: string[];
  pages: string[];
  /** Images by the page that they belong to. `raw`, `line` and `column` are as in {@link ImageReference}. */
  images: { pageUrl: string; url: string; raw: string; line: number; column: number }[];
  /** Whether it has more entries than the protocol allows. The rest was left out. */
  truncated: boolean;
  /** Whether it is not a sitemap, or ends early. Everything readable is included. */
  faulty: boolean;
}

export type DocumentKind = 'page' | 'stylesheet' | 'manifest' | 'svg';
