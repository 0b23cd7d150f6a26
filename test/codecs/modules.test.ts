import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { compileModules } from '../../codecs/modules.ts';

describe('the modules of the codecs', () => {
  it('are compiled once for all pools of the process', async () => {
    const [one, other] = [await compileModules(), await compileModules()];
    assert.ok(one.resvg === other.resvg);
  });
});
