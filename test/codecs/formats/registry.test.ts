/** Checks that the format table, the reader registry and the installed libraries agree. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { availableFormats } from '../../../codecs/available.ts';
import { loadCodec } from '../../../codecs/formats/codecs.ts';
import { FORMATS, INPUT_FORMATS, OUTPUT_FORMATS } from '../../../codecs/formats/registry.ts';
import { compileModules } from '../../../codecs/modules.ts';
import { startVips } from '../../../codecs/vips.ts';

test('has one loader or reader for every format, and an encoder for every output format', async () => {
  for (const format of INPUT_FORMATS) {
    const { loader, reader, fallback, encode } = await loadCodec(format);
    assert.equal(loader !== undefined, FORMATS[format].loader !== undefined, format);
    assert.notEqual(loader === undefined, reader === undefined, format);
    if (fallback) assert.equal(typeof (await fallback.load()).decode, 'function', format);
    assert.equal(encode !== undefined, FORMATS[format].output !== undefined, format);
  }
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
