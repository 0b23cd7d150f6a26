/**
 * Generates pages whose style sheets show images larger than their attributes say. Other images on the pages are as
 * small as they say. The same seed gives the same pages.
 */
import { Random } from '../random.ts';

/** One image of a page. */
export interface TrapImage {
  path: string;
  /** Name of its style. */
  kind: string;
  /** Whether its markup states the true size in every window. */
  isFixed: boolean;
}

export interface TrapSite {
  /** Pages and style sheets by path. */
  documents: ReadonlyMap<string, { text: string; type: string }>;
  pages: readonly string[];
  images: readonly TrapImage[];
}

export const TRAP_IMAGE = { width: 1200, height: 750 };

interface StyledImage {
  /** Declarations for the image. A random selector is written for them. */
  own?: string;
  /**
   * Rules that are written unchanged. `.%` is the class of the element around the image, and `-&` ends a unique name.
   */
  rules?: string;
  /** Attributes of the image. */
  attributes?: string;
  /** Markup around the image. `@` stands for the image and `%` for the class of the element around it. */
  around?: string;
  /** The declarations must not be put into conditions that would not hold. */
  isPlain?: boolean;
}

const SIZE = 'width="120" height="75"';

/** Each of these shows the image larger than 120 x 75 at some window width from 360 to 2560 pixels. */
const TRAPS: Readonly<Record<string, StyledImage>> = {
  percent: { own: 'width: 100%; height: auto', attributes: SIZE },
  important: { own: 'width: 100% !important; height: auto', attributes: 'width="120"' },
  important_above_style: {
    own: 'width: 90% !important; height: auto',
    attributes: 'style="width: 120px; height: 75px"',
  },
  viewport: { own: 'width: 60vw; height: auto', attributes: SIZE },
  container_units: { own: 'width: 80cqw; height: auto', attributes: SIZE, rules: '.% { container-type: inline-size }' },
  calculated: { own: 'width: calc(100% - 20px); height: auto', attributes: SIZE },
  clamped: { own: 'width: clamp(100px, 50vw, 900px); height: auto', attributes: SIZE },
  variable: { own: 'width: var(--wide); height: auto', attributes: SIZE, rules: ':root { --wide: 95% }' },
  rem: { own: 'width: 40rem; height: auto', attributes: SIZE },
  larger_pixels: { own: 'width: 640px; height: auto', attributes: SIZE },
  minimum: { own: 'min-width: 70%; height: auto', attributes: 'style="width: 120px"' },
  minimum_height: { own: 'min-height: 50vh', attributes: SIZE },
  cover: { own: 'width: 100%; height: 400px; object-fit: cover', attributes: SIZE },
  height: { own: 'height: 60vh; width: auto', attributes: SIZE },
  automatic: { own: 'width: auto; height: auto', attributes: SIZE },
  inline_size: { own: 'inline-size: 100%; block-size: auto', attributes: SIZE },
  ratio: { own: 'aspect-ratio: 1 / 5; height: auto', attributes: 'width="120"' },
  flex_grow: { own: 'flex: 1; min-width: 0', attributes: SIZE, rules: '.% { display: flex; align-items: start }' },
  flex_basis: { own: 'flex-basis: 600px', attributes: SIZE, rules: '.% { display: flex }' },
  flex_stretch: {
    own: 'height: auto',
    attributes: 'width="120"',
    rules: '.% { display: flex; min-height: 600px }',
    isPlain: true,
  },
  flex_column: {
    attributes: 'height="75"',
    rules: '.% { display: flex; flex-direction: column }',
    isPlain: true,
  },
  grid_stretch: {
    own: 'width: 100%; height: 100%',
    attributes: SIZE,
    rules: '.% { display: grid; grid-template-columns: 1fr 1fr; grid-auto-rows: 300px }',
  },
  grid_place: {
    own: 'width: auto; height: auto; place-self: stretch',
    attributes: SIZE,
    rules: '.% { display: grid; grid-auto-rows: 500px }',
  },
  zoomed: { attributes: SIZE, rules: '.% { zoom: 4 }', isPlain: true },
  scaled: { own: 'transform: scale(5); transform-origin: 0 0', attributes: SIZE },
  scaled_around: { attributes: SIZE, rules: '.% { transform: scale(4); transform-origin: 0 0 }', isPlain: true },
  scale_property: { own: 'scale: 4; transform-origin: 0 0', attributes: SIZE },
  animated: {
    own: 'animation: grow-& 1ms forwards',
    attributes: SIZE,
    rules: '@keyframes grow-& { to { width: 800px; height: 500px } }',
  },
  inline_percent: { attributes: `${SIZE} style="width: 100%; height: auto"` },
  inline_viewport: { attributes: 'width="120" style="width: 50vw; height: auto"' },
  inline_minimum: { attributes: `${SIZE} style="min-width: 75%; height: auto"` },
  unset: { own: 'all: unset; width: 90%', attributes: SIZE },
  sibling: { attributes: SIZE, rules: 'h2 + .% > img { width: 100%; height: auto }', isPlain: true },
  nth: { attributes: SIZE, rules: '.% > :nth-child(1) { width: 100%; height: auto }', isPlain: true },
  is: { attributes: SIZE, rules: ':is(.%, .other) :where(img) { width: 100%; height: auto }', isPlain: true },
  attribute: { attributes: `${SIZE} data-wide`, rules: '[data-wide] { width: 100%; height: auto }', isPlain: true },
  has: { attributes: SIZE, rules: '.%:has(img) img { width: 100%; height: auto }', isPlain: true },
  nested: { attributes: SIZE, rules: '.% { color: #333; & > img { width: 100%; height: auto } }', isPlain: true },
  nested_bare: { attributes: SIZE, rules: '.% { img { width: 100%; height: auto } }', isPlain: true },
  escaped: {
    attributes: `${SIZE} data-x`,
    rules: '.md\\:w-full { width: 100%; height: auto }',
    around: '<div class="%"><span class="md:w-full">x</span>@</div>',
    isPlain: true,
  },
  script_class: {
    attributes: SIZE,
    rules: '.wide-now { width: 100%; height: auto }',
    around: '<div class="%">@</div><script>document.querySelector(".% img").classList.add("wide-now")</script>',
    isPlain: true,
  },
  script_style: {
    attributes: SIZE,
    around: '<div class="%">@</div><script>document.querySelector(".% img").style.width = "90%"</script>',
    isPlain: true,
  },
  custom_element: {
    attributes: SIZE,
    around:
      '<x-card class="%"><template shadowrootmode="open"><style>::slotted(img) { width: 100%; height: auto }</style><slot></slot></template>@</x-card>',
    isPlain: true,
  },
  unclosed: {
    attributes: SIZE,
    around: '<ul><li>a<li class="%">@</ul>',
    rules: 'li.% > img { width: 100%; height: auto }',
    isPlain: true,
  },
};

/** Each of these shows the image at 120 x 75 at most. */
const FIXED: Readonly<Record<string, StyledImage>> = {
  attributes: { attributes: SIZE },
  attributes_lazy: { attributes: `${SIZE} loading="lazy" decoding="async"` },
  only_width: { attributes: 'width="120"' },
  only_height: { attributes: 'height="75"' },
  inline: { attributes: 'style="width: 120px; height: 75px"' },
  inline_above_rule: { own: 'width: 100%', attributes: 'style="width: 120px; height: 75px"' },
  smaller_rule: { own: 'width: 96px; height: 60px', attributes: SIZE },
  at_most: { own: 'max-width: 100%; height: auto; border-radius: 50%', attributes: SIZE },
  in_flex: { attributes: SIZE, rules: '.% { display: flex; gap: 1em; align-items: center }' },
  in_grid: { own: 'height: auto', attributes: SIZE, rules: '.% { display: grid; grid-template-columns: 1fr 2fr }' },
  rule_of_others: { attributes: SIZE, rules: '.elsewhere .thumb, .% > p img, .%.large { width: 100% }' },
  fitted: { own: 'object-fit: cover; width: 75px; height: 75px', attributes: 'width="75" height="75"' },
};

const CONDITIONS = [
  '$',
  '$',
  '@media (min-width: 800px) { $ }',
  '@media (max-width: 600px) { $ }',
  '@media screen and (width >= 2000px) { $ }',
  '@supports (display: grid) { $ }',
  '@layer base { $ }',
  '@layer a.b { @media (orientation: landscape), (min-width: 1px) { $ } }',
  '@container (min-width: 300px) { $ }',
];

/** Selectors of the image, by its class `&` or by the class `%` around it. */
const SELECTORS = [
  '.&',
  'img.&',
  '.% .&',
  '.% > img',
  'div.% img',
  'body .%>img',
  '.other, .&',
  '.% img:not(.other)',
  'img[class*="&"]',
  ':root .%  >  .&:nth-of-type(1n)',
];

const RESETS = [
  '',
  'img { max-width: 100%; height: auto }',
  'img, picture, video, canvas, svg { display: block; max-width: 100% }\n*, ::before, ::after { box-sizing: border-box; min-width: 0 }',
  'img, svg { vertical-align: middle }\nimg { border-style: none; max-width: none }',
];

const DELIVERIES = ['style', 'linked', 'imported', 'end'] as const;

/**
 * Generates a site.
 * @param number of pages, each with four separate images
 */
export function trapSite(seed: number, number: number): TrapSite {
  const random = new Random(seed);
  const site = {
    documents: new Map<string, { text: string; type: string }>(),
    pages: [] as string[],
    images: [] as TrapImage[],
  };
  for (let page = 0; page < number; page += 1) addPage(site, page, random);
  const links = site.pages.map((path) => `<a href="${path}">${path}</a>`).join('\n');
  site.documents.set('/', html('', `<h1>Pages</h1>${links}`));
  return site;
}

const IMAGES_OF_A_PAGE = 4;

function addPage(
  {
    documents,
    pages,
    images,
  }: { documents: Map<string, { text: string; type: string }>; pages: string[]; images: TrapImage[] },
  page: number,
  random: Random,
): void {
  const css = [random.pick(RESETS)];
  const body: string[] = [];
  for (let number = 0; number < IMAGES_OF_A_PAGE; number += 1) {
    const isFixed = random.next() < 0.4;
    const [kind, styled] = random.pick(Object.entries(isFixed ? FIXED : TRAPS));
    const image: TrapImage = { path: `/images/p${page}-${number}.jpg`, kind, isFixed };
    const { markup, rules } = createImage(image, styled, `i${page}-${number}`, `b${page}-${number}`, random);
    images.push(image);
    body.push(`<h2>${kind}</h2>`, markup);
    css.push(rules);
  }
  const path = `/page-${page}.html`;
  pages.push(path);
  documents.set(path, createDocument(documents, page, css.join('\n'), body.join('\n'), random));
}

function createImage(
  { path }: TrapImage,
  { own, rules = '', attributes = '', around = '<div class="%">@</div>', isPlain = false }: StyledImage,
  name: string,
  box: string,
  random: Random,
): { markup: string; rules: string } {
  const img = `<img src="${path}" class="${name} thumb" alt="x" ${attributes}>`;
  const condition = isPlain ? '$' : random.pick(CONDITIONS);
  const selector = random.pick(SELECTORS).replaceAll('%', box).replaceAll('&', name);
  const rule = own === undefined ? '' : condition.replace('$', () => `${selector} { ${replaceNames(own, name, box)} }`);
  return {
    markup: around.replaceAll('%', box).replaceAll('@', () => img),
    rules: `${replaceNames(rules, name, box)}\n${rule}`,
  };
}

/** Replaces only the classes and unique names. Percentages and the nesting selector stay unchanged. */
function replaceNames(css: string, name: string, box: string): string {
  return css.replaceAll('.%', `.${box}`).replaceAll('-&', `-${name}`);
}

function html(head: string, body: string): { text: string; type: string } {
  const text = `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Page</title>${head}</head><body>${body}</body></html>`;
  return { text, type: 'text/html; charset=utf-8' };
}

function createDocument(
  documents: Map<string, { text: string; type: string }>,
  page: number,
  css: string,
  body: string,
  random: Random,
): { text: string; type: string } {
  const delivery = random.pick(DELIVERIES);
  const sheet = (name: string, text: string) => documents.set(name, { text, type: 'text/css' });
  switch (delivery) {
    case 'style':
      return html(`<style>${css}</style>`, body);
    case 'end':
      return html('', `${body}<style media="all">${css}</style>`);
    case 'linked':
      sheet(`/css/p${page}.css`, css);
      return html(`<link rel="stylesheet" href="/css/p${page}.css">`, body);
    case 'imported':
      sheet(`/css/p${page}.css`, `@import url("p${page}-more.css") layer(more);`);
      sheet(`/css/p${page}-more.css`, css);
      return html(`<style>@import "/css/p${page}.css" screen;</style>`, body);
  }
}
