import assert from 'node:assert/strict';
import promises, { readFile } from 'node:fs/promises';
import { createRequire, syncBuiltinESMExports } from 'node:module';
import { describe, mock, test } from 'node:test';
import { inflateSync } from 'node:zlib';
import { toFontFile } from '../../../codecs/text/fonts.ts';
import { loadHarfBuzz } from '../../../codecs/text/harfbuzz.ts';
import { renderText } from '../../../codecs/text/render.ts';
import { type FontTables, readWoff2 } from '../../../codecs/text/woff2.ts';
import { repositoryFile } from '../../support/repository.ts';

const require = createRequire(import.meta.url);

describe('packages of fonts', () => {
  test('are listed for operators with their licence, and all have a free one', async () => {
    const project = JSON.parse(await readFile(repositoryFile('package.json'), 'utf8'));
    const guide = await readFile(repositoryFile('docs/guides/operating.md'), 'utf8');
    const names = Object.keys({ ...project.dependencies, ...project.optionalDependencies }).filter((name) =>
      /^@(?:fontsource|fontsource-variable|expo-google-fonts)[/]/.test(name),
    );
    assert(names.length > 20);
    for (const name of names) {
      const row = guide.split('\n').find((line) => line.includes(`\`${name}\``));
      assert.match(row ?? '', /OFL 1[.]1/, name);
      assert.equal(row!.includes('(optional)'), name in project.optionalDependencies, name);
      const { license } = JSON.parse(await readFile(require.resolve(`${name}/package.json`), 'utf8'));
      assert.match(license, /^(?:MIT AND )?OFL-1[.]1$/, name);
    }
  });
});

test('a text reads only the fonts of its scripts', async () => {
  const read = mock.method(promises, 'readFile');
  syncBuiltinESMExports();
  const filesOf = async (text: string) => {
    read.mock.resetCalls();
    await renderText({ text, color: '#ffffff', width: 100, maxHeight: 100 });
    return read.mock.calls.map(({ arguments: [path] }) => String(path)).filter((path) => path.includes('noto'));
  };
  try {
    const latin = await filesOf('© Imagecrew');
    assert.deepEqual(
      latin.filter((path) => !path.includes('/noto-sans/')),
      [],
    );
    const khmer = await filesOf('ខ្មែរ');
    assert(khmer.length > 0 && khmer.every((path) => path.includes('khmer')), khmer.join());
    const one = await filesOf('印');
    assert(one.length > 0 && one.every((path) => path.includes('noto-sans-sc')), one.join());
    assert.equal(one.filter((path) => path.endsWith('.woff2')).length, 1, 'one part of a hundred');
    assert.deepEqual(await filesOf('印ខ © Imagecrew'), [], 'nothing twice');
  } finally {
    read.mock.restore();
    syncBuiltinESMExports();
  }
});

test('WOFF 2 files have the outlines, widths and characters of the same fonts in WOFF', async () => {
  const { Blob, Face, Font } = await loadHarfBuzz();
  let glyphs = 0;
  for (const name of [
    'noto-sans-symbols-2/files/noto-sans-symbols-2-symbols-400-normal',
    'noto-sans/files/noto-sans-vietnamese-600-normal',
  ]) {
    const [woff2, woff] = await Promise.all(
      ['woff2', 'woff'].map((end) => readFile(require.resolve(`@fontsource/${name}.${end}`))),
    );
    const tables = readWoff2(woff2!);
    const expected = readWoff(woff!);
    const [font, reference] = [tables, expected].map((each) => new Font(new Face(new Blob(toFontFile(each)))));
    const count = expected.get('maxp')!.readUInt16BE(4);
    assert.equal(tables.get('maxp')!.readUInt16BE(4), count);
    for (let glyph = 0; glyph < count; glyph++) {
      assert.equal(font!.glyphToPath(glyph), reference!.glyphToPath(glyph), `${name} ${glyph}`);
      assert.equal(font!.glyphHAdvance(glyph), reference!.glyphHAdvance(glyph));
      assert.deepEqual(font!.glyphExtents(glyph), reference!.glyphExtents(glyph));
    }
    assert.deepEqual(font!.face.collectUnicodes(), reference!.face.collectUnicodes());
    glyphs += count;
  }
  assert(glyphs > 1000, `${glyphs} glyphs`);
});

/** WOFF 1 stores the tables as they are, deflated ("WOFF File Format 1.0"). */
function readWoff(file: Buffer): FontTables {
  const tables: FontTables = new Map();
  for (let index = 0; index < file.readUInt16BE(12); index++) {
    const entry = 44 + index * 20;
    const [start, packed, length] = [4, 8, 12].map((at) => file.readUInt32BE(entry + at)) as [number, number, number];
    const data = file.subarray(start, start + packed);
    tables.set(file.toString('latin1', entry, entry + 4), packed < length ? inflateSync(data) : data);
  }
  return tables;
}
