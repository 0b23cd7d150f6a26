import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { describe, it } from 'node:test';
import type robotsParser from 'robots-parser';
import { UpstreamError } from '../../../../base/http-request.ts';
import { parseRobots } from '../../../../server/sites/fetch/robots.ts';
import { nightlyOnly } from '../../../support/nightly.ts';
import { Random } from '../../../support/random.ts';

/** The types of the package declare an ECMAScript module, but the package is not one. */
const otherRobots: typeof robotsParser.default = createRequire(import.meta.url)('robots-parser');

/** Returns the paths that a robots.txt allows for a product token. */
function allowed(text: string, paths: readonly string[], token = 'ImagecrewBot'): string[] {
  const robots = parseRobots(text, token);
  return paths.filter((path) => robots.allows(path));
}

/** Returns the paths that one pattern matches. */
function matchingPaths(pattern: string, paths: readonly string[]): string[] {
  const robots = parseRobots(`User-agent: *\nDisallow: ${pattern}`, 'any');
  return paths.filter((path) => !robots.allows(path));
}

describe('the group in robots.txt', () => {
  // RFC 9309, section 5.1.
  const SIMPLE = `
    User-Agent: *
    Disallow: *.gif$
    Disallow: /example/
    Allow: /publications/

    User-Agent: foobot
    Disallow:/
    Allow:/example/page.html
    Allow:/example/allowed.gif

    User-Agent: barbot
    User-Agent: bazbot
    Disallow: /example/page.html

    User-Agent: quxbot
  `;
  const PATHS = ['/', '/a.gif', '/publications/', '/example/', '/example/page.html', '/example/allowed.gif'];

  it('is the one of our product token, as in the example of the RFC', () => {
    assert.deepEqual(allowed(SIMPLE, PATHS, 'OtherBot'), ['/', '/publications/']);
    assert.deepEqual(allowed(SIMPLE, PATHS, 'foobot'), ['/example/page.html', '/example/allowed.gif']);
    for (const token of ['barbot', 'bazbot']) {
      assert.deepEqual(
        allowed(SIMPLE, PATHS, token),
        PATHS.filter((path) => path !== '/example/page.html'),
      );
    }
    assert.deepEqual(allowed(SIMPLE, PATHS, 'quxbot'), PATHS);
  });

  it('matches the product token in any case, also with a version after it', () => {
    for (const name of ['imagecrewbot', 'IMAGECREWBOT', 'ImagecrewBot/1.0', 'ImagecrewBot 1.0', 'ImagecrewBot # us']) {
      assert.deepEqual(allowed(`user-AGENT:${name}\nDISALLOW : /a`, ['/a', '/b']), ['/b'], name);
    }
    for (const name of ['Imagecrew', 'ImagecrewBotX', 'ImagecrewBot-Image', 'XImagecrewBot', '']) {
      assert.deepEqual(allowed(`User-agent: ${name}\nDisallow: /a`, ['/a', '/b']), ['/a', '/b'], name);
    }
  });

  // Section 2.2.1: "If there is more than one group matching the user agent, the matching groups' rules MUST be combined".
  it('combines all groups with the same product token', () => {
    const text = [
      'User-agent: ImagecrewBot',
      'Disallow: /a',
      'User-agent: *',
      'Disallow: /c',
      'User-agent: imagecrewbot',
      'Disallow: /b',
      'User-agent: *',
      'Disallow: /d',
    ].join('\n');
    assert.deepEqual(allowed(text, ['/a', '/b', '/c', '/d']), ['/c', '/d']);
    assert.deepEqual(allowed(text, ['/a', '/b', '/c', '/d'], 'OtherBot'), ['/a', '/b']);
  });

  it('may allow everything although the group * allows nothing', () => {
    for (const own of ['User-agent: ImagecrewBot\nDisallow:', 'User-agent: ImagecrewBot\nCrawl-delay: 5']) {
      assert.deepEqual(allowed(`${own}\n\nUser-agent: *\nDisallow: /`, ['/a']), ['/a']);
      assert.deepEqual(allowed(`User-agent: *\nDisallow: /\n\n${own}`, ['/a']), ['/a']);
    }
  });

  // Section 2.2.4: other records MUST NOT interfere. Empty lines have no meaning.
  it('does not end at other records, comments and empty lines', () => {
    for (const between of [
      'Sitemap: https://example.com/s.xml',
      'Host: example.com',
      'Noindex: /',
      '# a',
      '',
      'nonsense',
    ]) {
      const text = `User-agent: ImagecrewBot\n${between}\nUser-agent: b\n${between}\nDisallow: /a\n${between}\nDisallow: /b`;
      assert.deepEqual(allowed(text, ['/a', '/b', '/c']), ['/c'], between);
    }
  });

  it('does not exist in a file without groups', () => {
    for (const text of ['', 'Disallow: /', '<!doctype html><p>User-agent', '\0\0\0', 'User-agent: *']) {
      assert.deepEqual(allowed(text, ['/', '/a']), ['/', '/a']);
    }
  });

  it('is read with any line ending and byte order mark', () => {
    for (const end of ['\n', '\r\n', '\r', '\n\n', ' \t\n']) {
      assert.deepEqual(allowed(['\uFEFFUser-agent: *', 'Disallow: /a', ''].join(end), ['/a', '/b']), ['/b']);
    }
  });
});

describe('a pattern in robots.txt', () => {
  it('matches the start of a path, case-sensitively', () => {
    const paths = ['/', '/fish', '/fish.html', '/fish/salmon.html', '/fishheads', '/Fish', '/catfish', '/a?id=/fish'];
    assert.deepEqual(matchingPaths('/fish', paths), ['/fish', '/fish.html', '/fish/salmon.html', '/fishheads']);
    assert.deepEqual(matchingPaths('/fish/', paths), ['/fish/salmon.html']);
    assert.deepEqual(matchingPaths('fish', paths), []);
    assert.deepEqual(matchingPaths('/', paths), paths);
  });

  // Section 2.2.3.
  it('treats * as any text and $ as the end', () => {
    const paths = ['/a.php', '/a.php?x', '/a/b.php/c', '/php', '/a.PHP', '/', '/a$b', '/a$'];
    assert.deepEqual(matchingPaths('/*.php', paths), ['/a.php', '/a.php?x', '/a/b.php/c']);
    assert.deepEqual(matchingPaths('*.php', paths), ['/a.php', '/a.php?x', '/a/b.php/c']);
    assert.deepEqual(matchingPaths('/*.php$', paths), ['/a.php']);
    assert.deepEqual(matchingPaths('/a*.php', paths), ['/a.php', '/a.php?x', '/a/b.php/c']);
    assert.deepEqual(matchingPaths('/**.php**', paths), ['/a.php', '/a.php?x', '/a/b.php/c']);
    assert.deepEqual(matchingPaths('/$', paths), ['/']);
    assert.deepEqual(matchingPaths('*', paths), paths);
    assert.deepEqual(matchingPaths('/*$', paths), paths);
    // A $ elsewhere stands for itself.
    assert.deepEqual(matchingPaths('/a$b', paths), ['/a$b']);
    assert.deepEqual(matchingPaths('/a$$', paths), ['/a$']);
    // The end of the pattern must not overlap the text before the wildcard.
    assert.deepEqual(matchingPaths('/aba*ba$', ['/aba', '/ababa', '/aba/ba', '/aba/bax']), ['/ababa', '/aba/ba']);
    assert.deepEqual(matchingPaths('/*a*a$', ['/a', '/aa', '/aba', '/ab']), ['/aa', '/aba']);
  });

  // Section 2.2.3: special characters that stand for themselves are percent-encoded.
  it('treats %2A and %24 as literal characters', () => {
    assert.deepEqual(matchingPaths('/file-with-a-%2A.html', ['/file-with-a-*.html', '/file-with-a-b.html']), [
      '/file-with-a-*.html',
    ]);
    assert.deepEqual(matchingPaths('/file-with-a-%2a.html', ['/file-with-a-%2A.html']), ['/file-with-a-%2A.html']);
    assert.deepEqual(matchingPaths('/path/foo-%24', ['/path/foo-$', '/path/foo-', '/path/foo-$/a']), [
      '/path/foo-$',
      '/path/foo-$/a',
    ]);
  });

  // The table of section 2.2.2.
  for (const [pattern, path] of [
    ['/foo/bar?baz=quz', '/foo/bar?baz=quz'],
    ['/foo/bar?baz=https://foo.bar', '/foo/bar?baz=https%3A%2F%2Ffoo.bar'],
    ['/foo/bar?baz=https%3A%2F%2Ffoo.bar', '/foo/bar?baz=https://foo.bar'],
    ['/foo/bar/\u30C4', '/foo/bar/%E3%83%84'],
    ['/foo/bar/%E3%83%84', '/foo/bar/%E3%83%84'],
    ['/foo/bar/%e3%83%84', '/foo/bar/%E3%83%84'],
    ['/foo/bar/%62%61%7A', '/foo/bar/baz'],
    ['/foo/bar/baz', '/foo/bar/%62%61%7a'],
    ['/a b', '/a%20b'],
    ['/%7Eanna', '/~anna'],
    ['/100%', '/100%'],
    ['/a%23b', '/a%23b'],
  ] as const) {
    it(`${pattern} matches ${path}`, () => {
      assert.deepEqual(matchingPaths(pattern, [path, '/foo', '/b']), [path]);
    });
  }

  it('ends at a comment', () => {
    assert.deepEqual(matchingPaths('/a#b', ['/a', '/c']), ['/a']);
    assert.deepEqual(matchingPaths('/a # b', ['/a', '/a b', '/c']), ['/a', '/a b']);
  });
});

describe('several patterns in robots.txt', () => {
  const decided = (rules: string[], path: string) =>
    parseRobots(['User-agent: *', ...rules].join('\n'), 'a').allows(path);

  // RFC 9309, section 5.2.
  it('the longest match wins, in any order', () => {
    for (const rules of [
      ['Allow: /example/page/', 'Disallow: /example/page/disallowed.gif'],
      ['Disallow: /example/page/disallowed.gif', 'Allow: /example/page/'],
    ]) {
      assert.equal(decided(rules, '/example/page/disallowed.gif'), false);
      assert.equal(decided(rules, '/example/page/allowed.gif'), true);
    }
    assert.equal(decided(['Disallow: /', 'Allow: /p'], '/page'), true);
    assert.equal(decided(['Allow: /page', 'Disallow: /*.htm'], '/page.htm'), false);
    assert.equal(decided(['Allow: /$', 'Disallow: /'], '/'), true);
    assert.equal(decided(['Allow: /$', 'Disallow: /'], '/page.htm'), false);
  });

  it('Allow wins over a Disallow of the same length', () => {
    for (const rules of [
      ['Allow: /folder', 'Disallow: /folder'],
      ['Disallow: /folder', 'Allow: /folder'],
    ]) {
      assert.equal(decided(rules, '/folder/page'), true);
    }
    assert.equal(decided(['Disallow: /*.ph', 'Allow: /page'], '/page.php5'), true);
    assert.equal(decided(['Disallow: /*.php', 'Allow: /page'], '/page.php5'), false);
  });

  it('the length is counted in octets, whether percent-encoded or not', () => {
    assert.equal(decided(['Disallow: /abcdef', 'Allow: /%61%62%63'], '/abcdef'), false);
    // Seven octets each, because the letter is encoded with six; then eight.
    assert.equal(decided(['Disallow: /*bcdef', 'Allow: /\u010D'], '/%C4%8Dbcdefg'), true);
    assert.equal(decided(['Disallow: /*bcdefg', 'Allow: /\u010D'], '/%C4%8Dbcdefg'), false);
  });

  it('the result is the same as in another implementation', () => {
    const random = new Random(2022);
    const text = (letters: string, length: number) =>
      Array.from({ length: random.integer(length) }, () => random.pick([...letters])).join('');
    for (let round = 0; round < 300; round += 1) {
      const rules = Array.from({ length: 5 }, () => `${random.pick(['Allow', 'Disallow'])}: /${text('aab/*$', 7)}`);
      const file = ['User-agent: *', ...rules].join('\n');
      const own = parseRobots(file, 'a');
      const other = otherRobots('http://a.test/robots.txt', file);
      for (let paths = 0; paths < 20; paths += 1) {
        const path = `/${text('aab/', 8)}`;
        if (path.startsWith('//')) continue;
        assert.equal(own.allows(path), other.isAllowed(`http://a.test${path}`), `${file}\n${path}`);
      }
    }
  });

  it('robots.txt itself is never disallowed', () => {
    assert.equal(decided(['Disallow: /'], '/robots.txt'), true);
    assert.equal(decided(['Disallow: /'], '/robots.txt2'), false);
  });
});

describe('other records in robots.txt', () => {
  it('Sitemap is read anywhere in the file', () => {
    const { sitemaps } = parseRobots(
      'Sitemap: https://a.test/1.xml\nUser-agent: x\nsitemap:https://a.test/2.xml # second\nDisallow: /\nSITEMAP: /3.xml\nSitemap:',
      'ImagecrewBot',
    );
    assert.deepEqual(sitemaps, ['https://a.test/1.xml', 'https://a.test/2.xml', '/3.xml']);
  });

  it('Crawl-delay is read for each group', () => {
    const delay = (text: string) => parseRobots(text, 'ImagecrewBot').crawlDelayMs;
    assert.equal(delay('User-agent: *\nCrawl-delay: 2'), 2000);
    assert.equal(delay('User-agent: *\nCrawl-delay: 0.5\nDisallow: /a'), 500);
    assert.equal(delay('User-agent: ImagecrewBot\nCrawl-delay: 3\nUser-agent: *\nCrawl-delay: 9'), 3000);
    assert.equal(delay('User-agent: ImagecrewBot\nDisallow: /a\nUser-agent: *\nCrawl-delay: 9'), 0);
    for (const value of ['-1', 'soon', '1e9', '', 'NaN'])
      assert.equal(delay(`User-agent: *\nCrawl-delay: ${value}`), 0);
  });
});

describe('a hostile robots.txt', () => {
  it('may hold at most 2,000 wildcards', () => {
    const text = (wildcards: number) => `User-agent: *\n${'Disallow: /*a*b\n'.repeat(wildcards / 2)}`;
    assert.equal(parseRobots(text(2000), 'a').allows('/xaxb'), false);
    assert.throws(() => parseRobots(text(2002), 'a'), UpstreamError);
    // The wildcards of other groups do not count.
    assert.equal(parseRobots(`${text(4000)}User-agent: b\nDisallow: /c`, 'b').allows('/c'), false);
  });

  // Storing each rule of the group once per line that names it would take billions of entries.
  it('may repeat a user agent any number of times', { timeout: 20_000 }, () => {
    const text = ['user-agent:*\n'.repeat(20_000), 'allow:/\n'.repeat(30_000), 'disallow:/a'].join('');
    const { allows, size } = parseRobots(text, 'a');
    assert.deepEqual([allows('/a'), allows('/b')], [false, true]);
    assert.ok(size < 40_000);
  });

  // If the rules were checked one by one, the 10,000 links of a page would take a minute.
  it('may have a rule for each of many URLs', { timeout: 20_000 }, () => {
    const rules = Array.from({ length: 30_000 }, (_, index) => `Disallow: /${index}/`).join('\n');
    const { allows } = parseRobots(`User-agent: *\n${rules}\nAllow: /7/a\nDisallow: /*.pdf$`, 'a');
    for (let round = 0; round < 100_000; round += 1) assert.equal(allows('/x/y'), true);
    assert.deepEqual(['/7/', '/7/a', '/29999/', '/30000/', '/7/a.pdf', '/x.pdf'].map(allows), [
      false,
      true,
      false,
      true,
      false,
      false,
    ]);
  });

  // A pattern that backtracks over the spaces would take hours.
  it('is parsed in linear time', { skip: nightlyOnly, timeout: 20_000 }, () => {
    const long = 500_000;
    for (const filler of [' ', '\t', ':', '#', '\uFEFF', '-', '%', '%2', '$', 'č']) {
      for (const line of [
        `allow:a${filler.repeat(long)}b`,
        `${filler.repeat(long)}:b`,
        `allow${filler.repeat(long)}`,
      ]) {
        parseRobots(`User-agent: *\n${line}`, 'a').allows('/a');
      }
    }
    parseRobots(`User-agent: *\nDisallow: ${'*'.repeat(long)}a$`, 'a').allows(`/${'a'.repeat(2000)}`);
  });

  it('never makes the parser hang', () => {
    const random = new Random(9309);
    const alphabet = [
      'User-agent:',
      'Disallow:',
      'Allow:',
      '*',
      '$',
      '%',
      '%2',
      '%2A',
      '/',
      '#',
      ':',
      '\n',
      '\r',
      ' ',
      'č',
      '\uD800',
      '\0',
    ];
    for (let round = 0; round < 200; round += 1) {
      const text = Array.from({ length: 200 }, () => random.pick(alphabet)).join('');
      assert.equal(typeof parseRobots(text, 'a').allows('/a%2A*$%?%zz'), 'boolean');
    }
  });
});
