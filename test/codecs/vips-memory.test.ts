import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { wasmMemoryBytes } from '../../codecs/memory.ts';
import { compileModules } from '../../codecs/modules.ts';
import { startVips } from '../../codecs/vips.ts';

const { vips, releaseHandles } = await startVips(await compileModules());
const MiB = 2 ** 20;

/** Images of the sizes that the allocator loses: over 12 MiB and up to 15 MiB. */
const LOST_SIZES = [
  { width: 2592, height: 1944, bands: 3, format: vips.BandFormat.uchar, Samples: Uint8Array },
  { width: 1500, height: 1500, bands: 3, format: vips.BandFormat.ushort, Samples: Uint16Array },
  { width: 1000, height: 900, bands: 4, format: vips.BandFormat.float, Samples: Float32Array },
] as const;

for (const { width, height, bands, format, Samples } of LOST_SIZES) {
  describe(`an image of ${width} x ${height} x ${bands} samples as ${Samples.name}`, () => {
    const samples = new Samples(width * height * bands).map((_: number, index: number) => (index * 7) % 251);

    test('has the samples that it was created from, also when it is copied', () => {
      const image = vips.Image.newFromMemory(samples, width, height, bands, format);
      assert.deepEqual([image.width, image.height, image.bands], [width, height, bands]);
      for (const each of [image, image.copyMemory()]) {
        const written = each.writeToMemory();
        assert.equal(written.byteLength, samples.byteLength);
        assert.equal(written.buffer.byteLength, samples.byteLength, 'the buffer holds nothing else');
        assert.equal(Buffer.compare(new Uint8Array(written.buffer), new Uint8Array(samples.buffer)), 0);
      }
      releaseHandles();
    });

    test('reuses the memory of the previous one', () => {
      const before = wasmMemoryBytes();
      for (let count = 0; count < 6; count++) {
        vips.Image.newFromMemory(samples, width, height, bands, format).copyMemory().writeToMemory();
        releaseHandles();
      }
      const grown = wasmMemoryBytes() - before;
      assert.ok(grown <= 64 * MiB, `${grown} bytes`);
    });
  });
}
