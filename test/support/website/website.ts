/**
 * A website whose image references are all known. It has pages in sections, images in every role of docs/spec/shapes.md,
 * section 16.2, in several spellings, style sheets, a manifest, sitemaps and a robots.txt. It also has text that only
 * looks like a reference, pages that may not be read, missing images and duplicate images.
 */
import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { EXTENSIONS, type TestImageKind, TestImages, typeOf } from './images.ts';
import { type ImageAddress, SNIPPETS, TRAPS } from './snippets.ts';
import { type ExpectedReference, SourceText } from './source-text.ts';

export interface WebsiteOptions {
  /** Number of pages that may be read. */
  pages: number;
  /** Number of images that single pages reference; some more belong to the whole site. */
  images: number;
}

/** What a scan of the whole site must find. */
export interface Expected {
  /** By the address of the document. Documents without references are left out. */
  references: ReadonlyMap<string, readonly ExpectedReference[]>;
  pages: number;
  /** Number of image addresses, including data URIs. */
  assets: number;
  /** Number of these that do not exist. */
  missing: number;
  /** Number of data URIs. */
  inline: number;
  /** Number of images with the same content as an image with a lower number. */
  duplicates: number;
  /** Bytes of all existing images, each address once. */
  bytes: number;
}

interface SiteImage {
  path: string;
  kind: TestImageKind;
  /** Images of one kind with the same number have the same content. */
  number: number;
  width: number;
  height: number;
}

const SIZES: Readonly<Record<TestImageKind, [number, number]>> = {
  photo: [480, 360],
  large: [1280, 960],
  print: [480, 320],
  logo: [300, 120],
  film: [200, 150],
  drawing: [64, 64],
};

/** Mostly photographs, as on real websites. */
const KIND_SEQUENCE: readonly TestImageKind[] = [
  'photo',
  'photo',
  'print',
  'photo',
  'logo',
  'photo',
  'photo',
  'drawing',
  'photo',
  'print',
  'photo',
  'film',
  'photo',
  'photo',
  'logo',
  'photo',
  'large',
];

const PAGES_OF_SECTION = 40;
const SNIPPETS_OF_PAGE = 3;
/** The 20th image of each 40 is a duplicate, and the 22nd of each 45 is missing: a website of 22 images has both. */
const DUPLICATE_EVERY = 40;
const DUPLICATE_INDEX = 19;
const MISSING_EVERY = 45;
const MISSING_INDEX = 21;
const ORPHAN_EVERY = 25;

/** An image of one pixel. */
const DOT_FILE = 'R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7';
const PIXEL_GIF = `data:image/gif;base64,${DOT_FILE}`;
const DOT_HASH = createHash('sha256').update(Buffer.from(DOT_FILE, 'base64')).digest('hex');

export class Website {
  /** Number of GET requests so far, by path. */
  readonly asked = new Map<string, number>();
  readonly #options: WebsiteOptions;
  readonly #images: TestImages;
  readonly #documents = new Map<string, { text: string; type: string }>();
  readonly #planted = new Map<string, readonly ExpectedReference[]>();
  readonly #catalogue: SiteImage[] = [];
  readonly #byPath = new Map<string, SiteImage>();
  #next = 0;
  #pages = 0;

  private constructor(options: WebsiteOptions, images: TestImages) {
    this.#options = options;
    this.#images = images;
  }

  /**
   * Builds a website.
   * @param origin at which it will be served
   */
  static async build(origin: string, options: WebsiteOptions): Promise<Website> {
    const site = new Website(options, await TestImages.draw());
    site.#build(origin);
    return site;
  }

  get expected(): Expected {
    const urls = new Set([...this.#planted.values()].flatMap((places) => places.map(({ url }) => url)));
    const inline = [...urls].filter((url) => url.startsWith('data:')).length;
    const there = [...urls].flatMap((url) => this.#byPath.get(pathOf(url)) ?? []);
    const contents = new Set(there.map(({ kind, number }) => `${kind} ${number}`));
    return {
      references: this.#planted,
      pages: this.#pages,
      assets: urls.size,
      missing: urls.size - inline - there.length,
      inline,
      duplicates: there.length - contents.size,
      bytes: there.reduce((sum, { kind, number }) => sum + this.#images.file(kind, number).length, 0),
    };
  }

  /** Responds to a request for something on the site. */
  readonly serve = (request: IncomingMessage, response: ServerResponse): void => {
    const path = request.url ?? '/';
    if (request.method === 'GET') this.asked.set(path, (this.asked.get(path) ?? 0) + 1);
    const document = this.#documents.get(path);
    const image = this.#byPath.get(path);
    const body = document ? Buffer.from(document.text) : image && this.#images.file(image.kind, image.number);
    if (!body) {
      response.writeHead(404, { 'content-type': 'text/html' }).end('<h1>Not found</h1>');
      return;
    }
    const packed = path.endsWith('.gz') ? gzipSync(body) : body;
    response.writeHead(200, {
      'content-type': document?.type ?? typeOf(image!.path),
      'content-length': packed.length,
      'cache-control': 'max-age=604800',
    });
    response.end(request.method === 'HEAD' ? undefined : packed);
  };

  #build(origin: string): void {
    const { pages } = this.#options;
    const paths = Array.from({ length: pages - 1 }, (_, index) => {
      const section = Math.floor(index / PAGES_OF_SECTION) + 1;
      return index % PAGES_OF_SECTION === 0 ? `/section-${section}/` : `/section-${section}/page-${index}.html`;
    });
    this.#styles(origin);
    const sections = paths.filter((path) => path.endsWith('/'));
    this.#page(origin, '/', sections, 0);
    const orphans = paths.filter((path, index) => !path.endsWith('/') && index % ORPHAN_EVERY === 1);
    for (const [index, path] of paths.entries()) {
      const siblings = path.endsWith('/')
        ? paths.filter((other) => other.startsWith(path) && other !== path && !orphans.includes(other))
        : [];
      this.#page(origin, path, siblings, index + 1);
    }
    this.#pages = pages;
    this.#icon(origin);
    this.#sitemaps(origin, orphans);
    this.#text('/robots.txt', 'text/plain', [
      'User-agent: *',
      'Disallow: /private/',
      `Sitemap: ${origin}/sitemap_index.xml`,
      '',
    ]);
    this.#text('/private/secret.html', 'text/html', ['<img src="/img/never-seen.jpg">']);
  }

  /** Returns the next image: new ones until there are enough, then the same ones again. */
  #nextImage(): SiteImage {
    const { images } = this.#options;
    const index = this.#next++;
    const known = this.#catalogue[index % images];
    if (known) return known;
    const kind = KIND_SEQUENCE[index % KIND_SEQUENCE.length]!;
    const [width, height] = SIZES[kind];
    const folder = `/img/set-${Math.floor(index / 100)}`;
    const isMissing = index % MISSING_EVERY === MISSING_INDEX;
    // A duplicate has the content of the previous image of the same kind, at another address.
    const isDuplicate = !isMissing && index % DUPLICATE_EVERY === DUPLICATE_INDEX;
    const original = isDuplicate ? this.#catalogue.findLast((one) => one.kind === kind) : undefined;
    const name = index % 7 === 3 ? `a%20picture,${index}` : `picture-${index}`;
    const path = `${folder}/${name}.${EXTENSIONS[kind]}${index % 11 === 5 ? '?v=3&size=full' : ''}`;
    const image = { path, kind, number: original?.number ?? index, width, height };
    this.#catalogue.push(image);
    if (!isMissing) this.#byPath.set(path, image);
    return image;
  }

  #nextAddress(origin: string, document: string, style: number): ImageAddress {
    const { path, width, height } = this.#nextImage();
    const url = `${origin}${path}`;
    const up = '../'.repeat(document.split('/').length - 2);
    const host = new URL(origin).host;
    const plain = [path, url, `${up}${path.slice(1)}`, `//${host}${path}`, path][style % 5]!;
    const escaped = (text: string) => text.replaceAll('&', '&amp;');
    return { raw: escaped(plain), plain, url, absolute: escaped(url), width, height };
  }

  #page(origin: string, path: string, links: readonly string[], number: number): void {
    const text = new SourceText();
    const snippets = Array.from(
      { length: SNIPPETS_OF_PAGE },
      (_, index) => SNIPPETS[(number * SNIPPETS_OF_PAGE + index) % SNIPPETS.length]!,
    );
    let style = number;
    const next = () => this.#nextAddress(origin, path, style++);
    text.add(`<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>Page ${number} – ž</title>\n`);
    text.add('<link rel="stylesheet" href="/css/site.css">\n<link rel="manifest" href="/site.webmanifest">\n');
    for (const snippet of snippets) if (snippet.place === 'head') snippet.write(text, next);
    text.add(`</head>\n<body>\n<h1>Page ${number}</h1>\n<img src="`);
    text
      .plant('img_src', '/img/shared.png', `${origin}/img/shared.png`)
      .add('" width="300" height="120" alt="Logo">\n');
    for (const snippet of snippets) if (snippet.place === 'body') snippet.write(text, next);
    if (number % 50 === 7) {
      text
        .add('<img alt="" width="1" height="1" src="')
        .plant('data_uri', PIXEL_GIF, `data:image/gif;sha256,${DOT_HASH}`)
        .add('">\n');
    }
    text.add(TRAPS);
    for (const link of links) text.add(`<p><a href="${link}?utm_source=site">${link}</a></p>\n`);
    text.add(
      '<p><a href="/">Home</a> <a href="/private/secret.html">Private</a> <a href="mailto:a@b.c">Mail</a></p>\n',
    );
    text.add('</body></html>\n');
    this.#source(origin, path, text, 'text/html; charset=utf-8');
  }

  #styles(origin: string): void {
    const shared = (path: string, kind: TestImageKind, number: number) => {
      const [width, height] = SIZES[kind];
      this.#byPath.set(path, { path, kind, number, width, height });
      return `${origin}${path}`;
    };
    shared('/img/shared.png', 'logo', 1_000_000);
    const parts = new SourceText().add('.hero { background: url( "');
    parts.plant('css_background', '../img/hero.jpg', shared('/img/hero.jpg', 'large', 1_000_001));
    parts.add('" ) }\n.list { list-style-image: url(');
    parts.plant('css_background', 'images/dot.png', shared('/css/images/dot.png', 'logo', 1_000_002)).add(') }\n');
    this.#source(origin, '/css/parts.css', parts, 'text/css');

    const site = new SourceText().add('@charset "utf-8";\n@import url("parts.css") screen;\n/* url(not-this.png) */\n');
    site.add('.banner { background-image: image-set("');
    site.plant('css_image_set', '/img/banner.jpg', shared('/img/banner.jpg', 'photo', 1_000_003)).add('" 1x, url(');
    site
      .plant('css_image_set', '/img/banner-2x.jpg', shared('/img/banner-2x.jpg', 'large', 1_000_004))
      .add(') 2x) }\n');
    site
      .add('.quote::before { content: url(')
      .plant('css_background', '/img/quote.svg', shared('/img/quote.svg', 'drawing', 5));
    site.add(') }\n');
    this.#source(origin, '/css/site.css', site, 'text/css; charset=utf-8');

    const manifest = new SourceText().add('{"name": "Site", "icons": [{"src": "');
    manifest.plant('manifest_icon', 'img/icon.png', shared('/img/icon.png', 'logo', 1_000_006));
    manifest.add('", "sizes": "300x120"}], "screenshots": [{"src": "');
    manifest.plant('manifest_icon', '/img/screen.jpg', shared('/img/screen.jpg', 'photo', 1_000_007)).add('"}]}\n');
    this.#source(origin, '/site.webmanifest', manifest, 'application/manifest+json');
  }

  /** The icon that browsers request although no page references it. */
  #icon(origin: string): void {
    const path = '/favicon.ico';
    this.#byPath.set(path, { path: '/img/shared.png', kind: 'logo', number: 1_000_008, width: 300, height: 120 });
    const unnamed = { role: 'link_icon', raw: path, url: `${origin}${path}`, line: 0, column: 0 } as const;
    this.#planted.set(`${origin}/`, [...this.#planted.get(`${origin}/`)!, unnamed]);
  }

  #sitemaps(origin: string, orphans: readonly string[]): void {
    const images = new SourceText().add(
      '<?xml version="1.0"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">\n',
    );
    images.add(`<url><loc>${origin}/</loc><image:image><image:loc>`);
    const { url, raw } = { url: `${origin}/img/hero.jpg`, raw: `${origin}/img/hero.jpg` };
    images.plant('image_sitemap', raw, url).add('</image:loc></image:image></url>\n</urlset>\n');
    this.#source(origin, '/sitemap-images.xml', images, 'application/xml');
    this.#text('/sitemap-pages.xml.gz', 'application/gzip', [
      '<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">',
      ...orphans.map((path) => `<url><loc>${origin}${path}</loc></url>`),
      '</urlset>',
    ]);
    this.#text('/sitemap_index.xml', 'application/xml', [
      '<?xml version="1.0"?><sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">',
      `<sitemap><loc>${origin}/sitemap-pages.xml.gz</loc></sitemap>`,
      `<sitemap><loc>${origin}/sitemap-images.xml</loc></sitemap>`,
      '</sitemapindex>',
    ]);
  }

  #source(origin: string, path: string, source: SourceText, type: string): void {
    this.#documents.set(path, { text: source.text, type });
    if (source.planted.length > 0) this.#planted.set(`${origin}${path}`, source.planted);
  }

  #text(path: string, type: string, lines: readonly string[]): void {
    this.#documents.set(path, { text: lines.join('\n'), type });
  }
}

function pathOf(url: string): string {
  const { pathname, search } = new URL(url);
  return pathname + search;
}
