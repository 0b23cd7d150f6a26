/** JPEG XL of large images: libjxl takes 107 to 155 bytes per pixel, and a worker has a limit. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { compress } from '../../support/engine.ts';
import { nightlyOnly } from '../../support/nightly.ts';
import { decode, difference, grainyPattern, jpeg } from '../../support/test-images.ts';

it('a lossy JPEG XL of eight megapixels is written again and again', {
  skip: nightlyOnly,
  timeout: 120_000,
}, async () => {
  const source = await jpeg(grainyPattern(3840, 2160));
  const first = await compress(source, { format: 'jxl' });
  assert.deepEqual([first.format, first.width, first.height, first.warnings], ['jxl', 3840, 2160, []]);
  const second = await compress(source, { format: 'jxl' });
  assert.deepEqual(second.bytes, first.bytes);
  const shown = await compress(first.bytes, { format: 'png', mode: 'lossless', width: 480 });
  const wanted = await compress(source, { format: 'png', mode: 'lossless', width: 480 });
  const { mean } = difference(await decode(shown.bytes), await decode(wanted.bytes));
  assert.ok(mean < 4, `${mean}`);
});
