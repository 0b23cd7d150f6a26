import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readCss } from '../../web-documents/css.ts';
import { ElementNames, mayMatch, nameNumber, namesOf } from '../../web-documents/names.ts';
import { neededNames } from '../../web-documents/selector.ts';

const numbered = (alternatives: string[][]) => alternatives.map((names) => names.map(nameNumber));

describe('what a selector needs of a page', () => {
  const cases: [selector: string, needed: string[][] | undefined][] = [
    ['.hero', [['.hero']]],
    ['div.hero > a#Top', [['div', '.hero', 'a', '#top']]],
    ['.a, .b .c', [['.a'], ['.b', '.c']]],
    ['.sm\\:flex', [['.sm:flex']]],
    ['.a[class~=x]:not(.b)::before', [['.a']]],
    ['.a:is(.b, .c) .d', [['.a', '.d']]],
    ['.a:hover, .b', [['.b']]],
    ['a:focus-visible', []],
    ['.a:not(:hover)', [['.a']]],
    ['.a/* , .b */.c', [['.a', '.c']]],
    ['&.open', [['.open']]],
    ['.a.b.c.d.e', [['.a', '.b', '.c', '.d']]],
    ['*', undefined],
    [':root', undefined],
    ['.a, ::selection', undefined],
    ['svg|a', undefined],
    ['[hidden]', undefined],
    [Array(21).fill('.a').join(), undefined],
    [`.${'a'.repeat(10_000)}`, undefined],
  ];
  for (const [selector, needed] of cases)
    it(`reads ${selector.slice(0, 40)}`, () => {
      assert.deepEqual(neededNames(selector), needed && numbered(needed));
    });

  it('comes from the innermost rule, not from animation steps or font names', () => {
    const css = `
      .a { background: url(1.png) }
      @media (min-width: 1px) { .b, .c { background: url(2.png) } }
      .d { color: red; @media screen { background: url(3.png); .e & { background: url(4.png) } } }
      @keyframes f { from { background: url(5.png) } }
      @import 'g.css';
      { background: url(6.png) }`;
    assert.deepEqual(
      readCss(css, 'sheet').map(({ address, needed }) => [address, needed]),
      [
        ['1.png', numbered([['.a']])],
        ['2.png', numbered([['.b'], ['.c']])],
        ['3.png', numbered([['.d']])],
        ['4.png', numbered([['.e']])],
        ['5.png', undefined],
        ['g.css', undefined],
        ['6.png', undefined],
      ],
    );
    assert.deepEqual(
      readCss('background: url(1.png)', 'declarations').map(({ needed }) => needed),
      [undefined],
    );
  });
});

describe('the names in a page', () => {
  it('decide whether a rule may match', () => {
    const names = new ElementNames();
    names.add(namesOf('DIV', 'Main', ' hero\n large '));
    const page = new Set(names.all);
    const may = (selector: string) => mayMatch(neededNames(selector), page);
    for (const selector of ['.hero', 'div#main.LARGE', '.x, body .hero', 'html', '*', ':root .hero'])
      assert.ok(may(selector), selector);
    for (const selector of ['.x', 'p.hero', '#hero', '.x, .hero:hover', 'div .main'])
      assert.ok(!may(selector), selector);
    assert.ok(mayMatch(neededNames('.x'), undefined), 'where they are not known');
  });

  it('are unknown when there are too many', () => {
    const names = new ElementNames();
    for (let n = 0; n < 5000; n += 1) names.add(namesOf('p', `id-${n}`, null));
    assert.equal(names.all, undefined);
  });
});
