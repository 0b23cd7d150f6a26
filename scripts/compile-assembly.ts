/** Compiles the loops in AssemblyScript to WebAssembly. */
import { join } from 'node:path';
import asc from 'assemblyscript/asc';

const ROOT = join(import.meta.dirname, '..');
const SOURCE = 'codecs/kernels/assembly/index.ts';
const OUTPUT = 'kernels.wasm';
/** They allocate nothing and check nothing: addresses are their callers' business. */
const OPTIONS = ['--optimizeLevel', '3', '--shrinkLevel', '0', '--runtime', 'stub', '--enable', 'simd', '--noAssert'];

export async function compileKernels(): Promise<Uint8Array> {
  let wasm: Uint8Array | undefined;
  const { error, stderr } = await asc.main([SOURCE, '--baseDir', ROOT, '--outFile', OUTPUT, ...OPTIONS], {
    writeFile: (name, contents) => {
      if (name === OUTPUT && typeof contents !== 'string') wasm = contents;
    },
  });
  if (error || !wasm) throw new Error(`${SOURCE} does not compile:\n${stderr.toString()}`);
  return wasm;
}
