/**
 * The ways in which a page references images: every role of docs/spec/shapes.md, section 16.2, some with a trap beside it.
 */
import type { SourceText } from './source-text.ts';

/** The address of an image, in one of the spellings that a page may use. */
export interface ImageAddress {
  /** As written in an attribute, and as written where character references are not decoded. */
  raw: string;
  plain: string;
  url: string;
  /** Absolute, as written in an attribute, for places where a relative address makes no sense. */
  absolute: string;
  width: number;
  height: number;
}

export interface Snippet {
  /** Whether it belongs in the head or in the body. */
  place: 'head' | 'body';
  write(text: SourceText, next: () => ImageAddress): void;
}

const head = (write: Snippet['write']): Snippet => ({ place: 'head', write });
const body = (write: Snippet['write']): Snippet => ({ place: 'body', write });

export const SNIPPETS: readonly Snippet[] = [
  body((text, next) => {
    const { raw, url, width, height } = next();
    text.add('<p>One image:\n  <img class="plain" src="').plant('img_src', raw, url);
    text.add(`" width="${width}" height="${height}" alt="An image"></p>\n`);
  }),
  body((text, next) => {
    const [one, two, three] = [next(), next(), next()];
    text.add('<img alt="" src="').plant('img_src', one.raw, one.url).add('"\n     srcset="');
    text.plant('img_srcset', two.raw, two.url).add(' 480w,\n             ');
    text.plant('img_srcset', three.raw, three.url).add(' 1280w" sizes="(max-width: 600px) 100vw, 50vw">\n');
  }),
  body((text, next) => {
    const [one, two, fallback] = [next(), next(), next()];
    text.add('<picture><source media="(min-width: 800px)" type="image/jpeg" srcset="');
    text.plant('picture_source', one.raw, one.url).add(', ');
    text.plant('picture_source', two.raw, two.url).add(' 2x"><img src="');
    text.plant('img_src', fallback.raw, fallback.url).add('" alt="" width="480"></picture>\n');
  }),
  body((text, next) => {
    const { raw, url } = next();
    text.add('<img class="lazy" data-caption="not-this.jpg of ours" data-src="').plant('lazy_attribute', raw, url);
    text.add('" alt="Later">\n');
  }),
  body((text, next) => {
    const { raw, url } = next();
    text.add('<div data-bg="').plant('lazy_attribute', raw, url).add('"></div>\n');
  }),
  body((text, next) => {
    const { raw, url } = next();
    text.add('<noscript><img src="').plant('noscript', raw, url).add('" alt="Without scripts"></noscript>\n');
  }),
  body((text, next) => {
    const { raw, url } = next();
    text.add('<div style="color: red; background: #fff url(').plant('inline_style', raw, url);
    text.add(') no-repeat">A box</div>\n');
  }),
  body((text, next) => {
    const { plain, url } = next();
    text.add('<style>\n  /* url(/img/not-this.png) */\n  .box { background-image: url("');
    text.plant('style_block', plain, url).add('") }\n</style>\n');
  }),
  head((text, next) => {
    const { raw, url } = next();
    text.add('<link rel="icon" sizes="any" href="').plant('link_icon', raw, url).add('">\n');
  }),
  head((text, next) => {
    const { raw, url } = next();
    text.add("<link rel='apple-touch-icon' href='").plant('link_icon', raw, url).add("'>\n");
  }),
  head((text, next) => {
    const [one, two] = [next(), next()];
    text.add('<link rel="preload" as="image" href="').plant('link_preload', one.raw, one.url).add('" imagesrcset="');
    text.plant('link_preload', two.raw, two.url).add(' 2x">\n');
  }),
  head((text, next) => {
    const { absolute, url } = next();
    text.add('<meta property="og:image" content="').plant('og_image', absolute, url).add('">\n');
    text.add('<meta property="og:image:alt" content="/img/not-this.jpg">\n');
  }),
  head((text, next) => {
    const { absolute, url } = next();
    text.add('<meta name="twitter:image" content="').plant('twitter_image', absolute, url).add('">\n');
  }),
  head((text, next) => {
    const [one, two] = [next(), next()];
    const escaped = one.url.replaceAll('/', '\\/');
    text.add('<script type="application/ld+json">\n{"@context": "https://schema.org", "@type": "Article", "image": ["');
    text.plant('json_ld', escaped, one.url).add('"],\n "publisher": {"@type": "Organization", "logo": {"@type": ');
    text.add('"ImageObject", "contentUrl": "').plant('json_ld', two.url, two.url).add('"}}}\n</script>\n');
  }),
  body((text, next) => {
    const { raw, url } = next();
    text.add('<video controls poster="').plant('video_poster', raw, url).add('"></video>\n');
  }),
  body((text, next) => {
    const { raw, url } = next();
    text.add('<form><input type="image" alt="Go" src="').plant('input_image', raw, url).add('"></form>\n');
  }),
  body((text, next) => {
    const [one, two] = [next(), next()];
    text.add('<svg width="80" height="80"><image href="').plant('svg_image', one.raw, one.url);
    text.add('" width="40"/><image xlink:href="').plant('svg_image', two.raw, two.url).add('"/></svg>\n');
  }),
  body((text, next) => {
    const { raw, url } = next();
    text.add('<object type="image/png" data="').plant('object_data', raw, url).add('"></object>\n');
  }),
  body((text, next) => {
    const { raw, url } = next();
    text.add('<table background="').plant('legacy_background', raw, url).add('"><tr><td>Old</td></tr></table>\n');
  }),
  body((text, next) => {
    const { raw, url } = next();
    text.add('<a href="').plant('linked_image', raw, url).add('">See it large</a>\n');
  }),
  body((text, next) => {
    const { raw, url } = next();
    text.add('<amp-img width="480" height="360" src="').plant('amp_img', raw, url).add('"></amp-img>\n');
  }),
];

/** Text that only looks like references. */
export const TRAPS = `<!-- <img src="/img/not-this.jpg"> -->
<script>const image = '<img src="/img/not-this.png">';</script>
<p>Write &lt;img src="/img/not-this.gif"&gt; to show it.</p>
<textarea><img src="/img/not-this.webp"></textarea>
<template><p>Nothing</p></template>
<a href="#top" data-image-count="3">Up</a>
`;
