import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Candidate } from '../../../codemod/readers/candidate.ts';
import { isReadable, readCandidates } from '../../../codemod/readers/read.ts';
import { nightlyOnly } from '../../support/nightly.ts';
import { Random } from '../../support/random.ts';
import { isThorough } from '../../support/thorough.ts';
import { assertEditable } from './invariant.ts';
import { SOURCES } from './sources.ts';

/** Kind and address of each place, the reason if it is not edited, and `<img>` if a `picture` can be put around it. */
const EXPECTED: Readonly<Record<string, readonly string[]>> = {
  'index.html': [
    'link_icon /favicon.ico (social_image)',
    'link_preload hero.avif',
    'link_preload hero-1.avif',
    'link_preload hero-2.avif',
    'og_image https://example.org/social.png (social_image)',
    'og_image card.png (social_image)',
    'json_ld https://example.org/one.png (social_image)',
    'json_ld /two.png (social_image)',
    'string three.png',
    'string four.png',
    'string /five.png (dynamic)',
    'string six.png (comment)',
    'style_block seven.png',
    'css_background eight.png (comment)',
    'style_block nine.png',
    'style_block ten.png',
    'legacy_background paper.gif',
    'img_src plain.jpg <img>',
    'img_src single "quoted".jpg <img>',
    'img_srcset a.jpg <img>',
    'img_srcset b&c.jpg <img>',
    'img_srcset d.jpg <img>',
    'picture_source hero.webp',
    'picture_source hero@2x.webp',
    'img_src hero.jpg <img>',
    'linked_image full-size.jpg',
    'lazy_attribute lazy.jpg <img>',
    'lazy_attribute lazy.jpg <img>',
    'lazy_attribute lazy-2.jpg <img>',
    'inline_style inline.png',
    'inline_style other.png',
    'lazy_attribute lazy-background.jpg',
    'lazy_attribute second.jpg',
    'video_poster poster.jpg',
    'input_image button.gif',
    'object_data object.png',
    'svg_image drawing.png',
    'svg_image linked.png',
    'noscript without-script.jpg <img>',
    'img_src comment.jpg (comment)',
    'img_src {{ unknown }}/joined.jpg (dynamic) <img>',
    'img_src versioned.jpg <img>',
    'string card.jpg',
  ],
  'page.njk': [
    'data /images/cover.jpg',
    'template /images/literal.jpg (dynamic)',
    'img_srcset {{ small }} (dynamic) <img>',
    'img_srcset large.jpg <img>',
    'template hidden.jpg (comment)',
    'img_src plain.jpg <img>',
    'inline_style style.png',
    'img_src conditional.jpg <img>',
  ],
  'page.blade.php': [
    'template old.jpg (comment)',
    'template images/asset.png (dynamic)',
    'img_src /plain.png <img>',
    'img_src in-php.jpg',
    'string literal.png',
    'string /joined.png (dynamic)',
    'string $base/dynamic.png (dynamic)',
    'string note.png (comment)',
    'video_poster /poster.jpg',
  ],
  'page.erb': [
    'template old.png (comment)',
    'template helper.png (dynamic)',
    'template path.png (dynamic)',
    'img_src /plain.png <img>',
  ],
  'page.jsp': [
    // biome-ignore lint/suspicious/noTemplateCurlyInString: as it is written
    'img_src ${context}/dynamic.png (dynamic) <img>',
    'img_src /plain.png <img>',
    'template gone.png (comment)',
  ],
  'page.cshtml': [
    'img_src ~/img/site.png <img>',
    'img_src @Model.Picture (dynamic) <img>',
    'img_src photo@2x.png <img>',
    'template gone.png (comment)',
  ],
  'site.css': [
    'import base.css',
    'css_background a.png',
    'css_background b (1).svg',
    'css_background c"d.png',
    'css_background e f.png',
    'string custom.png',
  ],
  'site.scss': [
    'string ../images/hero.jpg',
    'css_background comment.png (comment)',
    'css_background $hero (dynamic)',
    'css_background asset.png',
    'css_background #{$base}/dynamic.png (dynamic)',
    'css_background joined.png (dynamic)',
  ],
  'site.sass': [
    'import base',
    'css_background indented.png',
    'css_background gone.png (comment)',
    'css_background mask.svg',
  ],
  'site.less': ['string hero.jpg', 'css_background @{base}/dynamic.png (dynamic)', 'css_background plain.png'],
  'readme.md': [
    'data /images/front.jpg',
    'img_src plain.png',
    'img_src with space.png',
    'img_src thumb.png',
    'linked_image full.jpg',
    'img_src a_(b).png',
    'img_src span.png (code_block)',
    'img_src fenced.png (code_block) <img>',
    'img_src fenced-2.png (code_block)',
    'img_src fenced-3.png (code_block)',
    'img_src item.png',
    'img_src item-2.png',
    'img_src quoted.png',
    'img_src fenced-4.png (code_block)',
    'img_src indented.png (code_block)',
    'img_src html.png <img>',
    'img_src comment.png (comment)',
    'img_src comment-2.png (comment)',
    'img_src reference.png',
    'img_src reference 2.png',
    'string /hugo.png',
    'img_src {{ site.baseurl }}/dynamic.png (dynamic)',
    'img_src a(b.png',
    'img_src a&b.png',
  ],
  'page.mdx': [
    'import ./hero.png (framework_optimizes)',
    'img_src plain.png',
    'img_src ./required.png <img>',
    'img_srcset a.png <img>',
    'img_srcset b.png <img>',
    'inline_style style.png',
    'string ./code.png (code_block)',
  ],
  'page.tsx': [
    'import ./hero.png (framework_optimizes)',
    'import ./other.png',
    'string /template.png',
    'inline_style style.png',
    'img_src /optimized.png (framework_optimizes)',
    "img_src it's.png",
    'img_srcset a.png',
    'img_srcset b.png',
    'video_poster poster.png',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: as it is written
    'img_src /${x}/dynamic.png (dynamic)',
    'img_src /yes.png',
    'img_src /no.png',
    'img_src entity&.png',
    'string one.png',
    'string two.png',
    'import ./url.png',
    'import ./required.png',
    'string /joined.png (dynamic)',
    'string comment.png (comment)',
    "string don't .png",
  ],
  'broken.js': ['string one.png', 'string two.png (dynamic)', 'string three.png', 'string four.png (comment)'],
  // biome-ignore lint/suspicious/noTemplateCurlyInString: as it is written
  'styled.js': ['string styled.png', 'string ${base}/dynamic.svg (dynamic)', 'img_src html.png'],
  'Card.vue': [
    'img_src @/assets/plain.png <img>',
    'img_src bound.png <img>',
    'img_src yes.png (dynamic) <img>',
    'img_src no.png (dynamic) <img>',
    'img_src @/required.png <img>',
    'img_src /optimized.png (framework_optimizes)',
    'inline_style style.png',
    'import ./hero.png',
    'string list.png',
    'style_block style-block.png',
    'css_background gone.png (comment)',
  ],
  'Card.svelte': [
    'import $lib/hero.png',
    'img_src plain.png <img>',
    'img_src literal.png <img>',
    'img_src {base}/dynamic.png (dynamic) <img>',
    'img_src ./enhanced.png (framework_optimizes)',
    'img_src template.png <img>',
    'style_block style.png',
  ],
  'page.astro': [
    'import ../hero.png (framework_optimizes)',
    'string /cover.png',
    'img_src /plain.png <img>',
    'img_src /item.png <img>',
    'img_src /yes.png (dynamic) <img>',
    'img_src /no.png (dynamic) <img>',
    'style_block style.png',
    'string script.png',
  ],
  'data.json': ['data /images/escaped.png', 'data a.png', 'img_src b.png', 'data https://example.org/c'],
  'site.webmanifest': ['manifest_icon /icon.png (social_image)'],
  'data.yaml': [
    'data /plain.png',
    'data a b.png',
    "data it's.png",
    'data note.png (comment)',
    'data one.png',
    'data two.png',
    'data three.png',
    'data item.png',
    'img_src block.png',
  ],
  'config.toml': [
    'data basic.png',
    'data literal.png',
    'data note.png (comment)',
    'data key.png',
    'data one.png',
    'data two.png',
  ],
  'feed.xml': [
    'string https://example.org/channel.png',
    'string enclosure.png?a=1&b=2',
    'img_src cdata.png',
    'img_src escaped.png',
  ],
  'drawing.svg': ['style_block style.png', 'svg_image linked.png', 'svg_image a&b.png'],
};

function describeCandidate({ kind, address, reason, image }: Candidate): string {
  return `${kind} ${address}${reason ? ` (${reason})` : ''}${image ? ' <img>' : ''}`;
}

function addresses(path: string, text: string): string[] {
  return readCandidates(path, text).map(({ address, reason }) => (reason ? `${address} (${reason})` : address));
}

describe('the references in a source', () => {
  for (const [path, text] of Object.entries(SOURCES))
    it(path, () => assert.deepEqual(readCandidates(path, text).map(describeCandidate), EXPECTED[path]));

  it('are the same with other line endings', () => {
    for (const [path, text] of Object.entries(SOURCES)) {
      const lines = text.replaceAll('\r\n', '\n').replaceAll('\n', '\r\n');
      assert.deepEqual(readCandidates(path, lines).map(describeCandidate), EXPECTED[path], path);
    }
  });

  it('are read only from files of known types', () => {
    assert.ok(isReadable('a/B.HTML') && isReadable('a.blade.php') && isReadable('site.webmanifest'));
    assert.ok(!isReadable('a.txt') && !isReadable('html/readme') && !isReadable('a.html/b'));
    assert.deepEqual(readCandidates('a.txt', '<img src="a.png">'), []);
    assert.deepEqual(readCandidates('a.html', ''), []);
  });
});

describe('URLs that are composed of parts', () => {
  it('are detected by the operators and placeholders', () => {
    assert.deepEqual(
      addresses('a.html', '<img src="{{ a }}/b.png"><img src="c.png?v={{ v }}"><img src="d.png#{{ v }}">'),
      ['{{ a }}/b.png (dynamic)', 'c.png', 'd.png'],
    );
    assert.deepEqual(
      addresses('a.js', "a = b + '/c.png'; d = join('e', 'f.png'); g = ['h.png']; i = x ? 'j.png' : 'k.png'"),
      ['/c.png (dynamic)', 'f.png (dynamic)', 'h.png', 'j.png', 'k.png'],
    );
    assert.deepEqual(addresses('a.php', `<?php a(b() . '/c.png', 'd.png', "$e/f.png", "\\$g.png"); ?>`), [
      '/c.png (dynamic)',
      'd.png',
      '$e/f.png (dynamic)',
      '$g.png',
    ]);
    assert.deepEqual(addresses('a.vue', `<template><img :src="a + '/b.png'"><img :src="\`c.png\`"></template>`), [
      '/b.png (dynamic)',
      'c.png',
    ]);
  });
});

describe('components that convert images', () => {
  it('are detected by their import', () => {
    const page = (source: string) => `import Image from '${source}'; export default () => <Image src="/a.png" />`;
    for (const source of ['next/image', 'next/legacy/image', 'gatsby-plugin-image'])
      assert.deepEqual(addresses('a.jsx', page(source)), ['/a.png (framework_optimizes)'], source);
    assert.deepEqual(addresses('a.jsx', page('./Image')), ['/a.png']);
    assert.deepEqual(addresses('a.astro', '<Image src="/a.png" />'), ['/a.png']);
    assert.deepEqual(addresses('a.ts', `import a from './a.png?w=300&format=webp'; import b from './b.png?url'`), [
      './a.png?w=300&format=webp (framework_optimizes)',
      './b.png?url',
    ]);
  });
});

describe('an img that can be wrapped in a picture element', () => {
  it('is detected in every spelling', () => {
    const tags = [
      '<img src="a.png" alt="">',
      '<img src=a.png>',
      '<img src=a.png/>',
      '<img alt src="a.png" />',
      "<IMG\n  SRC='a.png'\n/>",
    ];
    for (const tag of tags) {
      const text = `<p>ü${tag}</p>`;
      const [{ image, address }] = readCandidates('a.html', text) as [Candidate];
      assert.ok(image);
      assert.equal(text.slice(image.start, image.end), tag);
      assert.equal(image.hasPicture, false);
      const { start, end, value } = image.attributes.get('src')!;
      assert.equal(text.slice(start, end), value);
      assert.equal(value, address);
    }
    const inside = '<picture><source srcset="b.webp"><img src="a.png"></picture><img src="c.png">';
    assert.deepEqual(
      readCandidates('a.html', inside).map(({ image }) => image?.hasPicture),
      [undefined, true, false],
    );
  });
});

/** Parts of sources, valid and broken, that are combined in random order. */
const PARTS = [
  ...['<img src="a.png">', '<img src=', '<img srcset="a.png 1x, b.png 2x"', '<!--', '-->', '<script>', '</script>'],
  ...['<style>', '</style>', 'url(a.png)', 'url("', '@import "a.css";', 'image-set(', '"b.png"', "'c.png'", '`d.png`'],
  ...[
    '`$',
    '{x}/e.png`',
    '{{ "f.png" }}',
    '{%',
    '%}',
    '<?php ',
    '?>',
    "$a = 'g.png';",
    '![x](h.png)',
    '[y](i.png "t")',
  ],
  ...[
    '[z]: j.png\n',
    '```\n',
    '    ',
    '\n\n',
    '- ',
    '> ',
    '---\n',
    '+++\n',
    'import a from "k.png";',
    'require("l.png")',
  ],
  ...[
    '+',
    '.',
    '{',
    '}',
    '[',
    ']',
    '(',
    ')',
    '<',
    '>',
    '/',
    '\\',
    '"',
    "'",
    '`',
    ':',
    ',',
    '=',
    ' ',
    '\n',
    '&amp;',
    '&quot;',
  ],
  ...['\\u0061.png', '\r\n', '\ufeff', '\0', '😀', '\ud800', 'key: m.png\n', '# n.png\n', '// o.png\n', '/* p.png */'],
  ...[
    '<svg>',
    '</svg>',
    '<![CDATA[',
    ']]>',
    ':src="\'q.png\'"',
    'src={"r.png"}',
    '<template>',
    '</template>',
    '@Model.x',
  ],
  ...[
    '#{$s}',
    '"""',
    "'''",
    'https://example.org/t',
    'img(src="u.png"',
    '%img{src: "v.png", ',
    'img src="w.png" ',
    '#[b ',
  ],
  ...[
    'image::x.png[]',
    '----\n',
    '.. image:: y.png\n',
    '$z',
    '#if(',
    'templ a() {\n',
    ';',
    '{*',
    '<#',
    '{ data: {',
    '  ',
    'p.\n',
  ],
];
/** Texts that once took quadratic time or more in some reader or in a library that it uses. */
const SLOW_INPUTS = [
  ...['f<a>(', 'async<a>(', 'a: ', '<a {', '<a b={', '{{', '"a.png",', 'a\n\n', '](', '[a](<', '<p style="'],
  ...[
    '<img src="a.png"',
    '&',
    "it's ",
    '#[a (\n',
    "a(b='\n",
    'a: ',
    '%a{b: {',
    'a b="\n',
    '-----\n',
    'templ a {\n',
    '-',
  ],
];
const KINDS = [
  ...['html', 'njk', 'php', 'cshtml', 'jsp', 'css', 'scss', 'md', 'mdx', 'js', 'tsx', 'vue', 'svelte', 'astro'],
  ...[
    'json',
    'yaml',
    'toml',
    'xml',
    'pug',
    'haml',
    'slim',
    'adoc',
    'rst',
    'py',
    'rb',
    'go',
    'java',
    'csv',
    'tpl',
    'ftl',
    'vm',
  ],
  ...['shtml', 'heex', 'marko', 'templ'],
];

describe('random input', () => {
  it('is read, and each reference has its correct position', () => {
    let found = 0;
    for (let seed = 0; seed < (isThorough ? 20_000 : 1000); seed++) {
      const random = new Random(seed);
      const text = Array.from({ length: 2 + random.integer(30) }, () => random.pick(PARTS)).join('');
      const path = `a.${random.pick(KINDS)}`;
      let last = 0;
      for (const { start, end, raw, encode, address } of readCandidates(path, text)) {
        const place = `seed ${seed}: ${path} ${JSON.stringify(text)}`;
        assert.ok(start >= last && end > start, place);
        assert.equal(text.slice(start, end), raw, place);
        assert.equal(typeof encode(address), 'string');
        last = end;
        found++;
      }
    }
    assert.ok(found > 1000, String(found));
  });

  it('is read in linear time', { skip: nightlyOnly, timeout: 300_000 }, () => {
    const length = isThorough ? 2_000_000 : 30_000;
    for (const [index, part] of [...PARTS, ...SLOW_INPUTS].entries())
      for (const [number, kind] of KINDS.entries())
        if (isThorough || (index + number) % 4 === 0)
          assert.ok(Array.isArray(readCandidates(`a.${kind}`, part.repeat(length / part.length))));
  });
});

describe('languages nested in other languages', () => {
  const texts: Readonly<Record<string, string>> = {
    'a.php': `<?php echo '<p style="background:url(&quot;a.png&quot;)"><img srcset="b.png 1x, c.png 2x">'; ?>`,
    'a.json': `{"html": "<img src=\\"a.png\\" srcset='b.png 1x'>", "css": "url(c.png)", "set": "d.png 1x, e.png 2x"}`,
    'a.js': `const a = "<a style='background:url(a.png)'>"; const b = \`<img src="b.png">\`;`,
    'a.html':
      '<script type="text/template"><img src="a.png"></script><script type="application/json">{"a": "b.png"}</script>',
    'a.vue': `<template><img :style="{ background: 'url(&quot;a.png&quot;)' }"><img :srcset="'b.png 1x, c.png 2x'"></template>`,
    'a.md': 'Text\n\n<p style="background:url(a.png)">\n\n- <img src=b.png>\n',
    'a.yaml': `a: "<img src='a.png'>"\nb: url(b.png)\n`,
  };
  for (const [path, text] of Object.entries(texts))
    it(`can be edited: ${path}`, () => assert.ok(assertEditable(path, text) >= 2));
});
