import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { compileModule, compileModules } from '../../codecs/modules.ts';

describe('the modules of the codecs', () => {
  it('are compiled once for all pools of the process', async () => {
    const [one, other] = [await compileModules(), await compileModules()];
    assert.ok(one.resvg === other.resvg);
  });

  it('leave the bytes of their files to nobody', async (t) => {
    const { compile } = WebAssembly;
    const compiled: Uint8Array[] = [];
    t.mock.method(WebAssembly, 'compile', (bytes: Uint8Array<ArrayBuffer>) => {
      compiled.push(bytes);
      return compile(bytes);
    });
    for (const name of ['vips', 'resvg'] as const) await compileModule(name);
    assert.deepEqual(
      compiled.map(({ length }) => length),
      [0, 0],
    );
  });
});
