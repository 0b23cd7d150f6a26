import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type LicenceSources, licenceFaults } from '../../../scripts/licences/check.ts';
import type { Library } from '../../../scripts/licences/library.ts';
import type { Lock } from '../../../scripts/licences/packages.ts';
import { withFolder, writeFiles } from '../../support/folder.ts';

type Entry = Lock['packages'][string];

const faultsOf = (name: string, entry: Entry, more: Partial<LicenceSources> = {}): string[] =>
  licenceFaults({
    lock: { packages: { '': {}, [`node_modules/${name}`]: { version: '1.0.0', ...entry } } },
    builtIn: new Set(),
    root: '/nowhere',
    ...more,
  });

describe('the check of licences', () => {
  test('takes permissive licences, also as one of several to choose from', () => {
    for (const license of ['MIT', 'Apache-2.0', 'MPL-2.0', '(MIT OR GPL-3.0-only)', 'MIT AND (ISC OR AGPL-3.0-only)'])
      assert.deepEqual(faultsOf('one', { license }), [], license);
    assert.deepEqual(faultsOf('one', { license: 'Apache-2.0 WITH LLVM-exception' }), []);
  });

  test('refuses the GPL and the AGPL, in development too', () => {
    for (const license of ['GPL-3.0-only', 'GPL-2.0-or-later', 'AGPL-3.0-only', 'MIT AND GPL-3.0-only'])
      for (const dev of [false, true])
        assert.deepEqual(faultsOf('one', { license, dev }), [
          `Expected an allowed licence for one 1.0.0 but received ${license}.`,
        ]);
  });

  test('refuses a licence that is missing, unknown or no expression', () => {
    assert.deepEqual(faultsOf('one', {}), ['Expected an SPDX licence for one 1.0.0 but received nothing.']);
    assert.deepEqual(faultsOf('one', { license: 'UNLICENSED' }), [
      'Expected an allowed licence for one 1.0.0 but received UNLICENSED.',
    ]);
    for (const license of ['SEE LICENSE IN readme.md', '(MIT', 'MIT OR', 'MIT BSD', ''])
      assert.equal(faultsOf('one', { license }).length, 1, license);
  });

  test('takes the licence of fonts for fonts only', () => {
    assert.deepEqual(faultsOf('@fontsource/one', { license: 'OFL-1.1' }), []);
    assert.equal(faultsOf('one', { license: 'OFL-1.1' }).length, 1);
  });

  test('takes an exception for development only where no user gets the package', () => {
    const license = 'LGPL-3.0-or-later';
    assert.deepEqual(faultsOf('@img/sharp-libvips-linux-x64', { license, dev: true }), []);
    assert.equal(faultsOf('@img/sharp-libvips-linux-x64', { license }).length, 1);
    const builtIn = new Set(['node_modules/@img/sharp-libvips-linux-x64']);
    assert.equal(faultsOf('@img/sharp-libvips-linux-x64', { license, dev: true }, { builtIn }).length, 1);
    assert.equal(faultsOf('one', { license, dev: true }).length, 1);
  });
});

/** Checks a package that contains files. */
const faultsWithFiles = (
  files: Readonly<Record<string, string>>,
  contents: { reviewed?: string; libraries: Library[] } | undefined,
  entry: Entry = {},
): Promise<string[]> =>
  withFolder(async (root) => {
    await writeFiles(`${root}/node_modules/one`, files);
    return faultsOf('one', { license: 'MIT', ...entry }, { root, contents: () => contents });
  });

describe('the check of compiled files', () => {
  const WASM = { 'lib/one.wasm': '\0asm' };
  const embedded = { 'one.js': `'AGFzbQEAAAA${'A'.repeat(100_000)}'` };

  test('refuses WebAssembly and native addons that nobody has looked into', async () => {
    assert.deepEqual(await faultsWithFiles(WASM, undefined), [
      'Expected a declaration of the libraries in lib/one.wasm of one 1.0.0 but received none.',
    ]);
    assert.equal((await faultsWithFiles({ 'one.node': '' }, undefined)).length, 1);
    assert.equal((await faultsWithFiles(embedded, undefined)).length, 1);
    assert.deepEqual(await faultsWithFiles({ 'one.js': 'AGFzbQEAAAA' }, undefined), []);
    assert.deepEqual(await faultsWithFiles(WASM, undefined, { dev: true }), []);
  });

  test('refuses a version that nobody has looked into', async () => {
    const contents = { reviewed: '1.0.0', libraries: [] };
    assert.deepEqual(await faultsWithFiles(WASM, contents), []);
    assert.deepEqual(await faultsWithFiles(WASM, contents, { version: '1.0.1' }), [
      'Expected the libraries in one 1.0.1 to be looked up but received those of 1.0.0.',
    ]);
  });

  test('looks at declared data too', async () => {
    const contents = { reviewed: '1.0.0', libraries: [{ name: 'data', licence: 'CC-BY-NC-4.0' }] };
    assert.deepEqual(await faultsWithFiles({ 'data.gz': '' }, contents), [
      'Expected an allowed licence for data in one 1.0.0 but received CC-BY-NC-4.0.',
    ]);
  });

  test('takes the LGPL in WebAssembly, which users can replace, and not in a native addon', async () => {
    const contents = { libraries: [{ name: 'libone', licence: 'LGPL-2.1-or-later' }] };
    assert.deepEqual(await faultsWithFiles(WASM, contents), []);
    assert.deepEqual(await faultsWithFiles({ 'one.node': '' }, contents), [
      'Expected an allowed licence for libone in one 1.0.0 but received LGPL-2.1-or-later.',
    ]);
  });

  test('refuses a library under the GPL', async () => {
    assert.deepEqual(await faultsWithFiles(WASM, { libraries: [{ name: 'x265', licence: 'GPL-2.0-or-later' }] }), [
      'Expected an allowed licence for x265 in one 1.0.0 but received GPL-2.0-or-later.',
    ]);
  });

  test('compares what is declared with what the package lists', async () => {
    const libraries: Library[] = [
      { key: 'one', name: 'libone', licence: 'MIT' },
      { key: 'two', name: 'libtwo', licence: 'MIT' },
    ];
    const listed = [
      { key: 'one', version: '1' },
      { key: 'three', version: '3' },
    ];
    assert.deepEqual(await faultsWithFiles(WASM, { libraries, inventory: () => listed } as never), [
      'Expected an SPDX licence for three in one 1.0.0 but received nothing.',
      'Expected libtwo in one 1.0.0 but the package does not list it.',
    ]);
  });
});
