import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { WorkerContext } from '../../../engine/context.ts';
import { parsePatterns } from '../../../engine/operations/match-paths/patterns.ts';
import { runMatchPaths } from '../../../engine/operations/match-paths/run.ts';
import { testEngine } from '../../support/engine.ts';
import { failureOf } from '../../support/failure.ts';
import { verifies } from '../../support/verifies.ts';

const SITE = 'https://example.com';

function matches(pattern: string, path: string): boolean {
  return parsePatterns([pattern], 'include').matches(SITE + path);
}

describe('path patterns', () => {
  verifies('sites.scans.update.patterns');

  const cases: [pattern: string, matching: string[], others: string[]][] = [
    ['/about', ['/about', '/about?x=1'], ['/about/', '/about-us', '/en/about']],
    ['/blog/*', ['/blog/one', '/blog/', '/blog/one?page=2/3'], ['/blog', '/blog/2026/one', '/en/blog/one']],
    ['/blog/**', ['/blog', '/blog/', '/blog/one', '/blog/2026/one'], ['/blogs', '/en/blog/one']],
    ['/**/amp', ['/amp', '/one/amp', '/one/two/amp'], ['/ramp', '/amp/one']],
    ['/**', ['/', '/one', '/one/two'], []],
    ['/a**z', ['/az', '/a/b/z'], ['/a/b']],
    ['/page-?', ['/page-1'], ['/page-', '/page-10', '/page-/']],
    ['*.php', ['/index.php', '/one/two.php'], ['/index.php5', '/phpinfo']],
    ['blog/*', ['/blog/one', '/en/blog/one'], ['/weblog/one']],
    ['/search?q=*', ['/search?q=cats'], ['/search', '/search?p=1']],
    ['/a.b(c)[d]$^|+{1}', ['/a.b(c)[d]$^|+{1}'], ['/aXb(c)[d]$^|+{1}']],
    ['/über uns/*', ['/%C3%BCber%20uns/x'], ['/uber-uns/x']],
    ['re:^/blog/\\d{4}/', ['/blog/2026/one'], ['/blog/20/', '/en/blog/2026/']],
    ['re:[?&]print=1', ['/one?print=1', '/one?a=b&print=1'], ['/print=1']],
  ];
  for (const [pattern, matching, others] of cases)
    it(`reads ${pattern}`, () => {
      for (const path of matching) assert.ok(matches(pattern, path), path);
      for (const path of others) assert.ok(!matches(pattern, path), path);
    });

  it('matches with any of several patterns, and never without patterns', () => {
    const several = parsePatterns(['/a/*', 're:^/b/'], 'exclude');
    assert.deepEqual(
      ['/a/1', '/b/2/3', '/c/4'].map((path) => several.matches(SITE + path)),
      [true, true, false],
    );
    assert.ok(!several.isEmpty);
    const none = parsePatterns([], 'exclude');
    assert.ok(none.isEmpty);
    assert.ok(!none.matches(SITE));
  });

  for (const expression of ['re:(', 're:[', 're:(?=a)b', 're:(a)\\1', 're:a{1001}', 're:((a{100}){100}){100}'])
    it(`rejects ${expression}`, async () => {
      const { param } = await failureOf('invalid_parameter', () => parsePatterns([expression], 'exclude'));
      assert.equal(param, 'exclude');
    });

  it('rejects patterns that would take long to compile', async () => {
    const expression = `re:${'a{1,1000}'.repeat(50)}`;
    const { param } = await failureOf('invalid_parameter', () => parsePatterns([expression], 'include'));
    assert.equal(param, 'include');
  });

  it('accepts patterns up to a total size, whatever makes them long', async () => {
    const date = 're:^/[a-z]{2,3}/\\d{4}/\\d{2}/[\\w-]{1,80}$';
    assert.ok(parsePatterns(Array(40).fill(date), 'include').matches(`${SITE}/en/2026/01/a-page`));
    assert.ok(!parsePatterns(Array(40).fill(`/${'folder/'.repeat(14)}**`), 'include').isEmpty);
    for (const [pattern, count] of [
      ['re:a{1,900}', 5],
      ['re:(?:(?:abc){10}){11}', 8],
      ['re:[a-z]{900}', 5],
      [`re:${'.*a'.repeat(150)}`, 11],
      [`/${'*a'.repeat(100)}`, 16],
    ] as const) {
      assert.ok(!parsePatterns(Array(count).fill(pattern), 'include').isEmpty, pattern);
      const { param, message } = await failureOf('invalid_parameter', () =>
        parsePatterns(Array(count + 1).fill(pattern), 'include'),
      );
      assert.equal(param, 'include');
      assert.match(message, /^Expected patterns of at most 5000 characters together/);
    }
  });

  it('checks the first 1,000 characters of a path', () => {
    const path = `/a/${'b'.repeat(2000)}`;
    assert.ok(matches('/a/*', path));
    assert.ok(matches('re:b$', path));
    assert.ok(matches('re:^.{1000}$', path));
    assert.ok(!matches('re:c', `${path}c`));
  });

  it('takes time that grows no faster than the path', () => {
    // Backtracking would take 2^2000 steps.
    const path = `/${'a'.repeat(2000)}`;
    assert.ok(!matches('re:^/(a+)+$!', path));
    assert.ok(!matches(`/${'*a'.repeat(100)}!`, path));
  });
});

describe('match-paths', () => {
  const urls = ['/a/1', '/b', '/a/2', '/c?x=1'].map((path) => SITE + path);
  const list = (...patterns: string[]) => ({ patterns, param: 'include' });

  it('returns for each list the addresses that match, in order', async () => {
    const engine = await testEngine();
    const { matched } = await engine.run('match-paths', { lists: [list('/a/*'), list(), list('re:x=', '/b')], urls });
    assert.deepEqual(matched, [[urls[0], urls[2]], [], [urls[1], urls[3]]]);
    // More lists than a worker caches, then the first of them again.
    for (const letter of ['d', 'e', 'f', 'g', 'h', 'a']) {
      const answer = await engine.run('match-paths', { lists: [list(`/${letter}/*`)], urls });
      assert.deepEqual(answer.matched, [letter === 'a' ? [urls[0], urls[2]] : []]);
    }
  });

  it('rejects invalid patterns, also without an address', async () => {
    const engine = await testEngine();
    const lists = [list('/a/*'), { patterns: ['re:('], param: 'settings.exclude' }];
    const { param } = await failureOf('invalid_parameter', () => engine.run('match-paths', { lists, urls: [] }));
    assert.equal(param, 'settings.exclude');
  });

  it('stops when it takes too long, and reports whose patterns are slow', async (context) => {
    let now = 0;
    // Each reading of the clock is a second later than the previous one.
    context.mock.method(performance, 'now', () => 1000 * now++);
    const input = { lists: [list('/a/*')], urls: Array(30).fill(urls[0]) };
    const failure = await failureOf('processing_timeout', () => runMatchPaths({} as WorkerContext, input));
    assert.equal(failure.param, 'include');
    assert.equal(
      failure.message,
      'Expected patterns that can be matched within 10 seconds for include but received slower ones.',
    );
  });
});
