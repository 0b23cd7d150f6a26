import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { namesOf } from '../../web-documents/names.ts';
import { type SheetSyntax, structuralSelectors } from '../../web-documents/structural-selectors.ts';

const IMAGE = new Set(namesOf('img', 'i', 'photo'));
const PARENT = new Set(namesOf('div', null, 'row'));

/** Returns whether a style sheet may depend on the structure at `<div class="row"><img id="i" class="photo">`. */
function dependsOnStructure(css: string, syntax?: SheetSyntax): boolean {
  const found = structuralSelectors(css, syntax);
  assert.ok(found, css);
  return found.some(
    ({ own, parent }) =>
      own.every((name) => IMAGE.has(name)) && (parent === null || parent.every((name) => PARENT.has(name))),
  );
}

const DEPENDENT = [
  '.row > img{}',
  'div > *{}',
  '* > .photo{}',
  '.row>img:hover{}',
  'img + p{}',
  'a + img{}',
  'p ~ #i{}',
  'img:first-child{}',
  '.photo:nth-child(2n + 1 of img){}',
  'img:last-of-type{}',
  ':only-child{}',
  '.row > :not([hidden]) ~ :not([hidden]){}',
  '.row > :is(p, img){}',
  '.row > :where(.photo, .other){}',
  '.row:has(> img){}',
  'p:has(+ img){}',
  ':not(:first-child){}',
  'div:is(.row > img, p){}',
  'picture img{}',
  '.row * img{}',
  'picture + p{}',
  'p, ul > li, .row > img{}',
  '@media print{.row > img{}}',
  '@layer a{@supports (display:grid){.row>img{}}}',
  '.row{> img{}}',
  '.row{&>img{}}',
  '.row{@media print{& > .photo{}}}',
  '.photo{&:first-child{}}',
  'img{+ p{}}',
  '.row{.x &, > img{}}',
  // Scripts add such classes in response to events.
  '.is-open > img{}',
  '.row > .active{}',
  '.r\\6fw > img{}',
  'picture{display:block!important}',
  '*{display : inline !important}',
  '.row source{all: unset !important}',
  '@source "**/*.html";\n.row > img{}',
  '.a{background:url(data:image/png;base64,//8=)}.row>img{}',
];

const INDEPENDENT = [
  'img{width:100%}',
  '.row img{}',
  'img, picture, video{display:block;max-width:100%}',
  '.other > img{}',
  '.row > .other{}',
  '.row > p{}',
  'p + p{}',
  '.row > :is(p, ul){}',
  '.row > :not(img){}',
  'p:not(:first-child){}',
  'li:nth-child(2) img{}',
  'ul > li img{}',
  '* img{}',
  'a:hover img{}',
  '.row:has(img){}',
  'picture.hero + p{}',
  '.other{> img{}}',
  '.other{& > .row img{}}',
  'p{&:first-child{}}',
  '@keyframes a{from{width:1px}50%{width:2px}}',
  '/* .row > img{} */ p{content:"> img{"}',
  'p{display:block!important}',
  '#i.x > img{}',
];

describe('selectors that depend on a picture element around an image', () => {
  it('are found in any form', () => {
    for (const css of DEPENDENT) assert.ok(dependsOnStructure(css), css);
  });

  it('do not include those that cannot match anyway', () => {
    for (const css of INDEPENDENT) assert.ok(!dependsOnStructure(css), css);
  });

  it('are found in preprocessor languages', () => {
    assert.ok(dependsOnStructure("// it's\n.row {\n  // a > b {\n  > img { width: 1px } // }\n}", 'nested'));
    assert.ok(dependsOnStructure('.#{$name} > img { width: 1px }', 'nested'));
    assert.ok(dependsOnStructure('.row-#{$name}-x { > img { width: 1px } }', 'nested'));
    assert.ok(
      !dependsOnStructure('.row { &__cell { > img { width: 1px } } }\n.a{color:red}'.replaceAll('row', 'x'), 'nested'),
    );
    assert.ok(dependsOnStructure('.row\n  > img\n    width: 1px', 'indented'));
    assert.ok(!dependsOnStructure('.row\n  width: 1px + 2px\n  +mixin(1px)\n  img\n    width: 1px', 'indented'));
  });

  it('are reported with their position, unless there are too many', () => {
    const css = 'p{}\n.row >\n  img{}';
    assert.deepEqual(
      structuralSelectors(css)!.map(({ text, at }) => [text, at]),
      [['.row > img', 4]],
    );
    const many = Array.from({ length: 1200 }, (_, index) => `.a${index} > img`).join();
    assert.equal(structuralSelectors(`${many}{}`), undefined);
  });
});
