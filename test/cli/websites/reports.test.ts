import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { describe, it } from 'node:test';
import { parseDocument } from 'htmlparser2';
import { withFolder } from '../../support/folder.ts';
import { nightlyOnly } from '../../support/nightly.ts';
import { drawTestImages, run } from './command.ts';

const page = (body: string) => `<!doctype html><title>Page</title>\n${body}`;
const image = (path: string) => `<img src="${path}" width="480" height="360" alt="A place">`;
const WITHOUT_ALT = '<img src="/one.jpg" width="480" height="360">';
/** Contains characters that are special in XML, Markdown and workflow commands. */
const ODD_NAME = 'none,%20a:b&amp;c|d.jpg';

/** Runs `work` with a website in a folder: an image used with and without alt text, another one, and a missing one. */
async function withSite(work: (site: string, folder: string) => Promise<void>): Promise<void> {
  const images = await drawTestImages();
  await withFolder(async (folder) => {
    const site = join(folder, 'dist');
    await mkdir(join(site, 'blog'), { recursive: true });
    await writeFile(join(site, 'one.jpg'), images.file('photo', 1));
    await writeFile(join(site, 'two.jpg'), images.file('photo', 2));
    await writeFile(join(site, 'index.html'), page(`${WITHOUT_ALT}\n${image(`/${ODD_NAME}`)}`));
    await writeFile(join(site, 'blog', 'post.html'), page(`${image('/one.jpg')}\n${image('/two.jpg')}`));
    await work(site, folder);
  });
}

interface SarifResult {
  ruleId: string;
  level: string;
  message: { text: string };
  locations: { physicalLocation: { artifactLocation: { uri: string }; region?: { startLine: number } } }[];
  baselineState?: string;
}

async function sarifResults(path: string): Promise<SarifResult[]> {
  const { version, runs } = JSON.parse(await readFile(path, 'utf8'));
  assert.equal(version, '2.1.0');
  const rules = new Set(runs[0].tool.driver.rules.map(({ id }: { id: string }) => id));
  const results = runs[0].results as SarifResult[];
  for (const { ruleId } of results) assert.ok(rules.has(ruleId), ruleId);
  return results;
}

interface Element {
  name: string;
  attribs: Record<string, string>;
  children: Element[];
}

async function junitCases(path: string): Promise<{ suite: Element; cases: Element[] }> {
  const document = parseDocument(await readFile(path, 'utf8'), { xmlMode: true }) as unknown as Element;
  const elements = ({ children }: Element) => children.filter(({ attribs }) => attribs !== undefined);
  const [suites] = elements(document).filter(({ name }) => name === 'testsuites');
  const [suite] = elements(suites!);
  return { suite: suite!, cases: elements(suite!) };
}

describe('reports for other programs', { timeout: 600_000 }, () => {
  it('list findings by file and line, and fail whenever the command fails', { skip: nightlyOnly }, async () => {
    await withSite(async (site, folder) => {
      const [junit, sarif, markdown] = ['a.xml', 'a.sarif', 'new/a.md'].map((name) => join(folder, name));
      const { status, out, err } = await run([
        ...['scan', site, '--fail-on', 'findings=error', '--github'],
        ...['--junit', junit!, '--sarif', sarif!, '--markdown', markdown!],
      ]);
      assert.deepEqual([status, err], [1, '']);
      const index = relative('', join(site, 'index.html'));

      const results = await sarifResults(sarif!);
      const placed = results.map(({ ruleId, level, locations, baselineState }) => {
        const [{ physicalLocation }] = locations as [SarifResult['locations'][0]];
        return [
          ruleId,
          level,
          physicalLocation.artifactLocation.uri,
          physicalLocation.region?.startLine,
          baselineState,
        ];
      });
      assert.deepEqual(
        placed.filter(([code]) => code === 'broken' || code === 'missing_alt'),
        [
          ['missing_alt', 'warning', index, 2, undefined],
          ['broken', 'error', index, 3, undefined],
        ],
      );

      const { suite, cases } = await junitCases(junit!);
      assert.equal(cases.length, results.length, 'one for each finding, and no check without a finding');
      assert.equal(suite.attribs.tests, String(cases.length));
      assert.equal(suite.attribs.failures, '1');
      const failed = cases.filter(({ children }) => children.some(({ name }) => name === 'failure'));
      assert.deepEqual(
        failed.map(({ attribs }) => [attribs.classname, attribs.name]),
        [['imagecrew.broken', 'none, a:b&c|d.jpg']],
      );

      const [annotation = ''] = out.split('\n').filter((line) => line.startsWith('::error '));
      assert.equal(
        annotation.replace(/,col=\d+,/, ',col=N,').replace(/ 404.*/, ''),
        `::error file=${index},line=3,col=N,title=Images that do not load::none, a:b&c|d.jpg: The address answers with`,
      );
      assert.match(
        await readFile(markdown!, 'utf8'),
        /^## Images of dist\n[\s\S]+\| error \| broken \| none, a:b&amp;c\\\|d[.]jpg \|/,
      );
    });
  });

  it('ignore the findings of a baseline, unless they occur in more places', { skip: nightlyOnly }, async () => {
    await withSite(async (site, folder) => {
      const [baseline, sarif] = ['baseline.json', 'b.sarif'].map((name) => join(folder, name));
      const args = ['scan', site, '--fail-on', 'findings=notice'];
      assert.equal((await run([...args, '--write-baseline', baseline!])).status, 1);
      const first = await readFile(baseline!, 'utf8');
      const compared = [...args, '--baseline', baseline!, '--sarif', sarif!];
      const same = await run(compared);
      assert.deepEqual([same.status, same.err], [0, '']);
      assert.match(
        same.out,
        /Passed: no finding of severity notice or worse \(\d+ findings of the baseline not counted\)/,
      );
      assert.deepEqual(
        new Set((await sarifResults(sarif!)).map(({ baselineState }) => baselineState)),
        new Set(['unchanged']),
      );
      // The same findings on other lines, one more place without alt text, and one more broken image.
      await writeFile(
        join(site, 'index.html'),
        page(`\n\n${WITHOUT_ALT}\n${WITHOUT_ALT}\n${image(`/${ODD_NAME}`)}\n${image('/gone.png')}`),
      );
      const changed = await run([...compared, '--json']);
      assert.equal(changed.status, 1);
      assert.deepEqual(JSON.parse(changed.out).checks.findings.issues, { broken: 1, missing_alt: 1 });
      const fresh = (await sarifResults(sarif!)).filter(({ baselineState }) => baselineState === 'new');
      assert.deepEqual(fresh.map(({ ruleId }) => ruleId).sort(), ['broken', 'missing_alt']);
      await run([...args, '--write-baseline', baseline!]);
      const second = await readFile(baseline!, 'utf8');
      const lines = (text: string) => new Set(text.split('\n').map((line) => line.replace(/,$/, '')));
      const added = [...lines(second)].filter((line) => !lines(first).has(line));
      assert.equal(added.length, 2, 'a line for each that is new or has more places');
    });
  });

  it('find the baseline relative to the configuration, which may name a file to be written', {
    skip: nightlyOnly,
  }, async () => {
    await withSite(async (site, folder) => {
      const [config, baseline] = ['c.json', 'base.json'].map((name) => join(folder, name));
      await writeFile(config!, JSON.stringify({ baseline: 'base.json' }));
      const args = ['scan', site, '--config', config!, '--fail-on', 'findings'];
      const missing = await run(args);
      assert.equal(missing.status, 2);
      assert.match(missing.err, /base[.]json/);
      assert.equal((await run([...args, '--write-baseline', baseline!])).status, 1);
      assert.deepEqual(await run(args).then(({ status, err }) => [status, err]), [0, '']);
    });
  });

  it('fail for pages over the budget of the first matching pattern', { skip: nightlyOnly }, async () => {
    await withSite(async (site, folder) => {
      const config = join(folder, 'imagecrew.config.json');
      const args = ['scan', site, '--config', config, '--json'];
      const budgets = [
        { pages: ['/blog/*'], images: 1 },
        { pages: ['re:.*'], image_bytes: '10MB', images: 5 },
      ];
      await writeFile(config, JSON.stringify({ budgets }));
      const over = await run(args);
      assert.equal(over.status, 1);
      const { checks } = JSON.parse(over.out);
      assert.equal(checks.budgets.pages_over, 1);
      assert.match(checks.budgets.pages[0].url, /\/blog\/post/);
      assert.deepEqual([checks.budgets.pages[0].images, checks.budgets.pages[0].max_images], [2, 1]);
      const text = await run(args.slice(0, -1));
      assert.match(text.out, /Failed: 1 page over budget\n {2}\S+ {2}2 images of 1\n/);
      await writeFile(config, JSON.stringify({ budgets: budgets.toReversed() }));
      assert.equal((await run(args)).status, 0);
    });
  });

  it('reject invalid baselines and configurations', { skip: nightlyOnly }, async () => {
    await withSite(async (site, folder) => {
      const file = join(folder, 'file.json');
      const wrong: [content: string, option: string, message: RegExp][] = [
        ['{}', '--baseline', /Expected a baseline that imagecrew scan --write-baseline has written for .*file[.]json/],
        ['{', '--config', /Expected a configuration for .*file[.]json but received/],
        ['{"budgets":[{"pages":["/"],"image_bytes":"heavy"}]}', '--config', /Expected a size such as 200kB/],
        ['{"budgets":[{"pages":["re:("]}]}', '--config', /for budgets but received/],
        ['{"budget":[]}', '--config', /budget/],
      ];
      for (const [content, option, message] of wrong) {
        await writeFile(file, content);
        const { status, err } = await run(['scan', site, option, file]);
        assert.equal(status, 2, content);
        assert.match(err, message);
      }
      for (const option of ['--baseline', '--config'])
        assert.match(
          (await run(['scan', site, option, join(folder, 'none.json')])).err,
          /none[.]json but received ['"]?ENOENT/,
        );
      assert.equal((await run(['scan', site, '--json', '--github'])).status, 2);
    });
  });
});
