/** Checks that the format table, the reader registry and the installed libraries agree. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { availableFormats } from '../../codecs/available.ts';
import { FORMATS, INPUT_FORMATS, OUTPUT_FORMATS } from '../../codecs/formats/registry.ts';
import { LOADERS } from '../../codecs/loaders.ts';
import { compileModules } from '../../codecs/modules.ts';
import { FALLBACK_READERS, READERS } from '../../codecs/readers.ts';
import { startVips } from '../../codecs/vips.ts';

test('has one loader or reader for every format, and can load every reader', async () => {
  for (const format of INPUT_FORMATS) {
    assert.notEqual(format in LOADERS, format in READERS, format);
    const reader = await READERS[format]?.();
    if (reader) assert.equal(typeof reader.decode, 'function', format);
  }
  for (const { reader } of Object.values(FALLBACK_READERS)) assert.equal(typeof (await reader()).decode, 'function');
});

test('lists all formats when everything is installed', async () => {
  const { vips } = await startVips(await compileModules());
  assert.deepEqual(availableFormats(vips), { read: INPUT_FORMATS, write: OUTPUT_FORMATS });
});

test('does not list what is not installed', async () => {
  const { vips } = await startVips(await compileModules());
  const without = (operation: string) =>
    availableFormats(
      new Proxy(vips, {
        get: (target, name) =>
          name === 'Utils'
            ? { typeFind: (_: string, nickname: string) => (nickname === operation ? 0 : 1) }
            : Reflect.get(target, name),
      }),
    );
  assert.deepEqual(
    INPUT_FORMATS.filter((format) => !without('jxlload_buffer').read.includes(format)),
    ['jxl'],
  );
  assert.deepEqual(
    OUTPUT_FORMATS.filter((format) => !without('heifsave_buffer').write.includes(format)),
    ['avif'],
  );
});

test('gives no extension to two formats without a signature', () => {
  const claimed = new Map<string, string>();
  for (const format of INPUT_FORMATS) {
    const { named, matchesNamed, extensions } = FORMATS[format];
    if (!named || matchesNamed) continue;
    for (const extension of extensions) {
      assert.equal(claimed.get(extension), undefined, `${extension}: ${format} and ${claimed.get(extension)}`);
      claimed.set(extension, format);
    }
  }
});
