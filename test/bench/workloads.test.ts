import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { requestOf, WORKLOADS } from '../../bench/workloads.ts';
import { checkCompressParams, compressParams } from '../../engine/operations/compress/params.ts';

describe('the workloads', () => {
  test('have unique names', () => {
    assert.equal(new Set(WORKLOADS.map(({ name }) => name)).size, WORKLOADS.length);
  });

  for (const workload of WORKLOADS) {
    test(`${workload.name} requests something that Imagecrew supports`, () => {
      const params = compressParams.parse(requestOf(workload));
      checkCompressParams(params);
      assert.equal(params.format, workload.format);
      assert.equal(params.mode === 'lossless', workload.lossless ?? false);
    });
  }
});
