import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { enlarge } from '../../../../codecs/formats/djvu/enlarge.ts';
import type { Raster } from '../../../../codecs/formats/djvu/raster.ts';
import { Kernels } from '../../../../codecs/kernels/kernels.ts';
import { compileModule } from '../../../../codecs/modules.ts';

const kernels = new Kernels(await compileModule('kernels'));

const grey = (width: number, ...samples: number[]): Raster => ({
  data: Uint8Array.from(samples),
  width,
  height: samples.length / width,
  channels: 1,
});

/** Returns the rows of an enlarged layer. */
function rowsOf(layer: Raster, reduction: number, width: number, height: number): number[][] {
  const { data } = enlarge(kernels, layer, reduction, { width, height });
  return Array.from({ length: height }, (_, y) => [...data.subarray(y * width, (y + 1) * width)]);
}

// The expected values are sixteenths of 160. They follow from the distances between pixel centres, rounded as in
// DjVuLibre.
describe('a layer that is enlarged', () => {
  it('is interpolated between the centres of its pixels', () => {
    const layer = grey(2, 0, 160);
    assert.deepEqual(rowsOf(layer, 2, 4, 1), [[0, 40, 120, 160]]);
    assert.deepEqual(rowsOf(layer, 3, 6, 1), [[0, 0, 60, 110, 160, 160]]);
    assert.deepEqual(rowsOf(layer, 4, 8, 1), [[0, 0, 20, 60, 100, 140, 160, 160]]);
  });

  it('starts at the bottom left corner', () => {
    assert.deepEqual(rowsOf(grey(2, 0, 160), 3, 4, 1), [[0, 0, 60, 110]]);
    assert.deepEqual(rowsOf(grey(1, 160, 0), 3, 1, 4), [[110], [60], [0], [0]]);
  });

  it('has each channel interpolated separately', () => {
    const layer: Raster = { data: Uint8Array.of(0, 160, 16, 160, 0, 16), width: 2, height: 1, channels: 3 };
    const { data } = enlarge(kernels, layer, 2, { width: 4, height: 1 });
    assert.deepEqual([...data], [0, 160, 16, 40, 120, 16, 120, 40, 16, 160, 0, 16]);
  });

  it('is unchanged at the size of the page', () => {
    const layer = grey(2, 1, 2, 3, 4);
    assert.equal(enlarge(kernels, layer, 1, { width: 2, height: 2 }), layer);
  });
});
