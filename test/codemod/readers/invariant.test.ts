import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { nightlyOnly } from '../../support/nightly.ts';
import { Random } from '../../support/random.ts';
import { repositoryFile } from '../../support/repository.ts';
import { isThorough } from '../../support/thorough.ts';
import { sourceOf, TYPES } from '../template-types.ts';
import { ADDRESSES, assertEditable } from './invariant.ts';
import { SOURCES } from './sources.ts';

/** `npm run test:nightly` tries every address at each place. */
const EVERY = nightlyOnly ? 4 : 1;

/** Complete fragments of source text, for files of several kinds. */
const PARTS: readonly (readonly [kinds: string, parts: readonly string[]])[] = [
  [
    'html njk php jsp cshtml vue svelte astro mdx md',
    [
      ...[
        '<img src="a.png">',
        '<img src=\'b.png\' alt="c.png"/>',
        '<img src=d.png>',
        '<p style="background:url(e.png)">x</p>',
      ],
      ...[
        '<img srcset="f.png 1x,\n g.png 2x">',
        '<a href="h.png">\n</a>',
        '<picture><source srcset=i.png><img src=j.png></picture>',
      ],
      ...[
        '<p>a &amp; b < c</p>',
        '<!-- <img src="k.png"> -->',
        '<img src="l&amp;m.png?n=1&o=2">',
        "<style>p{background:url('p.png')}</style>",
      ],
      ...[
        '<svg><image href="q.png"/></svg>',
        '<meta property="og:image" content="r.png">',
        '<div data-src="s.png" data-x="t">u</div>',
      ],
    ],
  ],
  [
    'css scss less sass',
    [
      ...['.a{background:url(a.png)}', '.b{mask:url("b.png")}', ".c{background:url('c\\'d.png')}", '/* url(e.png) */'],
      ...[
        '.f{background:image-set("f.png" 1x,url(g.png) 2x)}',
        '@media print{.h{background:url( h.png )}}',
        '.i{--i:"i.png"}',
      ],
    ],
  ],
  [
    'md mdx',
    [
      ...['![a](a.png)', '[b](b.png)', '![c](<c d.png>)', '[![e](e.png "t")](f.png)', '`![g](g.png)`', '*x* `` ` `` y'],
      ...[
        '\n\n```\n![h](h.png)\n```\n\n',
        '\n\n[i]: i.png\n\n',
        '\n\n- ![j](j.png)\n\n',
        '\n\n> ![k](k_(l).png)\n\n',
        '\n\n# ![m](m.png)\n\n',
      ],
    ],
  ],
  [
    'js ts tsx',
    [
      ...[
        'a = "a.png";',
        "b = 'b\\'c.png';",
        'd = `d.png`;',
        'e = f + "e.png";',
        '/* g.png */',
        '// h.png\n',
        "i = ['i.png', { j: 'j.png' }];",
      ],
      ...[
        'k = require("k.png");',
        'l = new URL("l.png", import.meta.url);',
        'm = "m.png 1x, n.png 2x";',
        'o = "url(o.png)";',
        'p = 1 / 2;',
      ],
    ],
  ],
  [
    'yaml',
    [
      'a: a.png',
      'b: "b.png"',
      "c: 'c''d.png'",
      '# e.png',
      'f: [f.png, "g.png"]',
      'h:\n  - h.png',
      'i: |\n  text',
      'j: url(j.png)',
    ].map((part) => `${part}\n`),
  ],
  [
    'toml',
    ['a = "a.png"', "b = 'b.png'", '# c.png', 'd = ["d.png", 1]', '[e]', 'f = """g.png"""'].map((part) => `${part}\n`),
  ],
  [
    'xml svg',
    [
      '<a b="a.png"/>',
      '<c>d.png</c>',
      '<image href="e&amp;f.png"/>',
      '<![CDATA[<img src="g.png">]]>',
      '<!-- <a href="h.png"/> -->',
    ],
  ],
];

describe('each reference in a source can be replaced by any URL', () => {
  for (const [path, text] of Object.entries(SOURCES))
    it(path, () => assert.ok(assertEditable(path, text, ADDRESSES, EVERY) > 0));

  for (const [path, text] of Object.entries(TYPES))
    it(path, () => {
      // `:imagesdir:` is removed, because no address can leave that folder.
      const source = sourceOf(text).replace(':imagesdir: /img', '');
      assert.ok(assertEditable(path, source, ADDRESSES, EVERY) > 0);
    });

  it('in random combinations of parts', () => {
    let found = 0;
    for (let seed = 0; seed < (isThorough ? 5000 : 300); seed++) {
      const random = new Random(seed);
      const [kinds] = random.pick(PARTS);
      const kind = random.pick(kinds.split(' '));
      const parts = PARTS.filter(([known]) => known.split(' ').includes(kind)).flatMap(([, all]) => all);
      const text = Array.from({ length: 1 + random.integer(12) }, () => random.pick(parts)).join(
        random.pick(['', ' ', '\n']),
      );
      try {
        found += assertEditable(`a.${kind}`, text, [random.pick(ADDRESSES)]);
      } catch (error) {
        throw new Error(`With seed ${seed}: ${kind} ${JSON.stringify(text)}`, { cause: error });
      }
    }
    assert.ok(found > 500, String(found));
  });

  it('in files of this project', async () => {
    const paths = [
      'README.md',
      'CHANGELOG.md',
      'docs/models.md',
      'package.json',
      'biome.json',
      'server/http/openapi-parts.ts',
    ];
    for (const path of paths)
      assertEditable(path, await readFile(repositoryFile(path), 'utf8'), ['/images/new-1.webp', "it's here.webp"]);
  });
});
