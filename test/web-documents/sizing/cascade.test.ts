import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readPage } from '../../../web-documents/page.ts';
import type { DocumentSizing } from '../../../web-documents/reading.ts';
import { SizingCascade, SizingIndex } from '../../../web-documents/sizing/cascade.ts';
import { readSizingRules } from '../../../web-documents/sizing/rules.ts';
import { readStylesheet } from '../../../web-documents/stylesheet.ts';

const URL_OF_PAGE = 'https://example.org/';
const sizingOf = (json: string | null) => (json === null ? undefined : (JSON.parse(json) as DocumentSizing));

/** Returns whether the size of the image `/t.jpg` is certain under the page's own style sheets and a linked one. */
function isCertain(body: string, css = '', linked = ''): boolean {
  const head = `<link rel="stylesheet" href="/a.css"><style>${css}</style>`;
  const page = readPage({ source: `<!doctype html><head>${head}</head><body>${body}`, url: URL_OF_PAGE, xml: false });
  const own = sizingOf(page.sizing);
  const sheet = sizingOf(readStylesheet(linked, `${URL_OF_PAGE}a.css`).sizing);
  if (!own?.page || !sheet) return false;
  const { element, displayedWidth, displayedHeight } = page.references.find(({ url }) => url.endsWith('/t.jpg'))!;
  const cascade = new SizingCascade(own.page, [new SizingIndex(own), new SizingIndex(sheet)]);
  return element !== null && cascade.isCertain(element, { width: displayedWidth, height: displayedHeight });
}

const IMG = '<img src="/t.jpg" width="120" height="80">';
const CLASSED = '<div class="card" id="top"><img class="w" src="/t.jpg" width="120" height="80"></div>';
const STYLED = '<img src="/t.jpg" style="width: 120px; height: 80px">';

/** Pages with one image, whose displayed size follows from its markup. */
const CERTAIN: readonly (readonly [what: string, body: string, css?: string])[] = [
  ['no rules', IMG],
  ['the usual reset', IMG, 'img, video { max-width: 100%; height: auto }'],
  ['only a smaller box', IMG, 'img { width: 100px; max-height: 50px }'],
  ['a rule of another class', CLASSED, '.x { width: 100% } .card .y { width: 100% } .z .w { width: 100% }'],
  ['a rule of another tag', CLASSED, 'div { width: 100% } .card > p { flex: 1 }'],
  ['a child of something else', CLASSED, 'body > .w { width: 100% }'],
  ['an inline style above a rule', STYLED, 'img { width: 100% }'],
  ['pseudo-elements', CLASSED, '.card .w::before, .w:after { width: 100% }'],
  ['no transforms that enlarge', CLASSED, '.card { transform: translate(1px) scale(.9); zoom: 1 } .w { scale: 1 }'],
  ['flex without growth', CLASSED, '.w { flex: none; flex-shrink: 0; min-width: 0; min-height: auto }'],
  ['a flex container, where both sides are given', CLASSED, '.card { display: flex }'],
  ['a flex container further out', `<main class="f">${CLASSED}</main>`, '.f { display: flex } img { height: auto }'],
  ['a closed paragraph before', `<p class="f">x<div>${IMG}</div>`, '.f > img { width: 100% }'],
  ['fonts and descriptors', IMG, '@font-face { width: 100% } @page { width: 100% } :root { --x: { width: 100% } }'],
  ['keyframes that move nothing', IMG, '@keyframes a { to { opacity: 0 } } img { animation: a 1s }'],
  ['cover', IMG, 'img { object-fit: cover }'],
  ['a script that does something else', `${IMG}<script>dataLayer.push(1)</script>`],
  ['a ratio of the file', IMG, 'img { aspect-ratio: auto 3 / 2 }'],
  ['only a width', '<img src="/t.jpg" width="120">', 'img { max-width: 100%; height: auto }'],
];

/** Pages whose style sheets may display the image larger. */
const UNCERTAIN: typeof CERTAIN = [
  ['a percentage', IMG, 'img { width: 100% }'],
  ['a class', CLASSED, '.w { width: 100% }'],
  ['an element around', CLASSED, '.card img { width: 100% }'],
  ['a child', CLASSED, '#top > img { width: 100% }'],
  ['any case', CLASSED, 'DIV.CARD IMG { WIDTH: 100% }'],
  ['important above an inline style', STYLED, 'img { width: 100% !important }'],
  ['a minimum below an inline style', STYLED, 'img { min-width: 100% }'],
  ['an inline percentage above attributes', '<img src="/t.jpg" width="120" height="80" style="width:100%">'],
  ['a larger inline width', '<img src="/t.jpg" width="120" height="80" style="width:400px">'],
  ['media queries', IMG, '@media (max-width: 600px) { img { width: 100% } }'],
  ['a nested condition', CLASSED, '.w { @media (width >= 800px) { width: 100% } }'],
  ['nested rules', CLASSED, '.card { color: red; & .w { width: 100% } }'],
  ['nested rules without a sign', CLASSED, '.card { > img { width: 100% } }'],
  ['container queries', IMG, '@container (width > 1px) { img { width: 50cqw } }'],
  ['layers', IMG, '@layer a { @layer b { img { width: 100% } } }'],
  ['supports', IMG, '@supports (display: grid) { img { inline-size: 100% } }'],
  ['scopes', CLASSED, '@scope (.card) { img { width: 100% } }'],
  ['starting styles and unknown rules', IMG, '@unknown x { img { width: 100% } }'],
  ['viewport units', IMG, 'img { width: 80vw }'],
  ['variables', IMG, 'img { width: var(--w) }'],
  ['calculations', IMG, 'img { width: calc(100% - 1px) }'],
  ['a larger size', IMG, 'img { width: 121px }'],
  ['auto', IMG, 'img { width: auto; height: auto }'],
  ['everything unset', IMG, 'img { all: unset }'],
  ['a height', IMG, 'img { height: 100% }'],
  ['a minimal height', IMG, 'img { min-height: 50vh }'],
  ['a ratio', IMG, 'img { aspect-ratio: 1 / 4 }'],
  ['flex', CLASSED, '.w { flex: 1 }'],
  ['flex-grow', CLASSED, '.w { flex-grow: 1 }'],
  ['flex-basis', CLASSED, '.w { flex-basis: 50% }'],
  ['stretched by a flex container', CLASSED, '.card { display: flex } img { height: auto }'],
  ['stretched by itself', CLASSED, '.w { align-self: stretch; height: auto }'],
  ['stretched in a grid', CLASSED, '.card { display: grid; align-items: stretch } img { height: auto }'],
  ['stretched beyond a box that is none', CLASSED, '.card { display: contents } img { height: auto }'],
  ['zoom around', CLASSED, 'body { zoom: 1.5 }'],
  ['a transform around', CLASSED, '.card:hover { transform: scale(1.5) }'],
  ['scale', CLASSED, '.w { scale: 2 }'],
  ['a matrix', CLASSED, '.w { -webkit-transform: matrix(2, 0, 0, 2, 0, 0) }'],
  ['keyframes', IMG, '@keyframes a { to { width: 100% } } img { animation: a 1s }'],
  ['keyframes around', CLASSED, '@keyframes a { to { transform: scale(2) } } .card { animation-name: a }'],
  ['no fitting', IMG, 'img { object-fit: none }'],
  ['attribute selectors', IMG, '[src$=".jpg"] { width: 100% }'],
  [':is()', IMG, ':is(img, video) { width: 100% }'],
  [':not()', IMG, ':not(.x) { width: 100% }'],
  ['any element', IMG, '* { min-width: 100% }'],
  ['a sibling', `<h2>x</h2>${IMG}`, 'h2 + img { width: 100% }'],
  ['a class of a state', CLASSED, '.is-open .w { width: 100% }'],
  ['escapes', '<img class="md:w-full" src="/t.jpg" width="120">', '.md\\:w-full { w\\69 dth: 100% }'],
  ['comments', IMG, 'img/**/{/**/width/**/:/**/100%/**/}'],
  ['a broken rule before', IMG, 'a { color: red; } } img { width: 100% }'],
  ['a rule without an end', IMG, 'img { width: 100%'],
  ['a paragraph that is still open', `<p class="f">x${IMG}`, '.f > img { width: 100% }'],
  ['a list item without an end', `<ul class="f"><li>a<li class="g">${IMG}</ul>`, '.f .g > img { width: 100% }'],
  ['formatting in the wrong order', `<b><p class="f"></b>${IMG}</p>`, '.f > img { width: 100% }'],
  ['an end tag of nothing', `<div class="f"></span></p>${IMG}</div>`, '.f > img { width: 100% }'],
  [
    'a template in shadow',
    `<x-y><template shadowrootmode="open"><style>::slotted(img){width:100%}</style></template>${IMG}</x-y>`,
  ],
  ['a custom element with scripts', `<my-card>${IMG}</my-card><script src="/c.js"></script>`],
  ['a script that writes styles', `${IMG}<script>document.head.append('<style>img{}</style>')</script>`],
  ['a script that sets a width', `${IMG}<script>document.images[0].style.width = '100%'</script>`],
  [
    'a script that gives a class',
    `${IMG}<script>document.images[0].classList.add('wide')</script>`,
    '.wide { width: 100% }',
  ],
  ['a script with all styles', `${IMG}<script src="https://cdn.tailwindcss.com"></script>`],
  ['what is done when it has loaded', '<img src="/t.jpg" width="120" height="80" onload="this.style.width=\'100%\'">'],
];

describe('whether a size is certain', () => {
  for (const [what, body, css = ''] of CERTAIN) {
    it(`is certain with ${what}`, () => {
      assert.ok(isCertain(body, css), 'in the page');
      assert.ok(isCertain(body, '', css), 'linked');
    });
  }
  for (const [what, body, css = ''] of UNCERTAIN) {
    it(`is not certain with ${what}`, () => {
      assert.ok(!isCertain(body, css), 'in the page');
      assert.ok(!isCertain(body, '', css), 'linked');
    });
  }

  it('is not certain when a page gets its styles from scripts alone', () => {
    const read = (head: string) =>
      readPage({ source: `<head>${head}</head><body>${IMG}`, url: URL_OF_PAGE, xml: false }).sizing;
    assert.equal(read('<script src="/app.js"></script>'), null);
    assert.notEqual(read('<script src="/app.js"></script><link rel="stylesheet" href="/a.css">'), null);
    assert.notEqual(read('<script>1</script>'), null);
  });

  it('is unknown with too many rules or elements', () => {
    const rules = Array.from({ length: 6000 }, (_, n) => `.r${n} { width: 1% }`).join('');
    assert.equal(readStylesheet(rules, URL_OF_PAGE).sizing, null);
    const nested = '<div>'.repeat(1000);
    assert.ok(!isCertain(nested + IMG));
    const many = Array.from({ length: 6000 }, (_, n) => `<img src="/${n}.jpg" class="c${n}">`).join('');
    assert.ok(!isCertain(IMG + many));
    const alike = Array.from({ length: 6000 }, (_, n) => `<img src="/${n}.jpg" class="c">`).join('');
    assert.ok(isCertain(IMG + alike));
  });
});

describe('style sheets with more rules than are compared', { timeout: 20_000 }, () => {
  const elements = Array.from({ length: 5000 }, (_, number) => ({
    parent: number === 0 ? null : Math.min(number - 1, 250),
    names: [number + 1],
    isLoose: true as const,
  }));

  /** Returns how many of the elements are certain under rules that make everything one pixel wide. */
  function certainUnder(selector: (number: number) => string, rules: number, sheets: number): number {
    const selectors = Array.from({ length: 100 }, (_, number) => selector(number)).join();
    const index = new SizingIndex(readSizingRules(`${selectors}{width:1px}`.repeat(rules))!);
    const cascade = new SizingCascade({ elements, hasScripts: false, scriptNames: [] }, Array(sheets).fill(index));
    return elements.filter((_, number) => cascade.isCertain(number, { width: 100, height: 100 })).length;
  }

  it('make no size certain, and take a bounded number of steps', () => {
    assert.equal(
      certainUnder((number) => `div > [a${number}]`, 4000, 20),
      0,
    );
    const some = certainUnder((number) => `div > [a${number}]`, 1, 1);
    assert.ok(some > 100 && some < elements.length, String(some));
  });

  it('count once where they match everything', () => {
    assert.equal(
      certainUnder((number) => `[a${number}]`, 10, 1),
      elements.length,
    );
  });
});
