/** Compiles the AssemblyScript modules to WebAssembly. */
import { join } from 'node:path';
import asc from 'assemblyscript/asc';
import binaryen from 'binaryen';

const ROOT = join(import.meta.dirname, '..');
const OUTPUT = 'module.wasm';
const OPTIMIZE_LEVEL = 3;
/** No allocator and no checks: callers are responsible for the addresses. */
const OPTIONS = ['--runtime', 'stub', '--enable', 'simd', '--noAssert'];
/** WebAssembly features that Node 20 supports. */
export const FEATURES =
  binaryen.Features.SIMD128 |
  binaryen.Features.BulkMemory |
  binaryen.Features.BulkMemoryOpt |
  binaryen.Features.MutableGlobals |
  binaryen.Features.SignExt |
  binaryen.Features.NontrappingFPToInt;
/**
 * Functions up to this number of instructions are inlined. With AssemblyScript's defaults decoding a JPEG takes 25%
 * more time.
 */
const MAX_INLINED = 150;
const MAX_INLINED_LEAF = 400;

/** Compiles one module. @param folder of the sources, such as `codecs/kernels/assembly` */
export async function compileAssembly(folder: string): Promise<Uint8Array> {
  return await compile(folder, ['--outFile', OUTPUT, '--optimizeLevel', `${OPTIMIZE_LEVEL}`, '--shrinkLevel', '0']);
}

/** Compiles one module with many more functions inlined. */
export async function compileInlined(folder: string): Promise<Uint8Array> {
  const module = binaryen.readBinary(await compileAssembly(folder));
  module.setFeatures(FEATURES);
  binaryen.setOptimizeLevel(OPTIMIZE_LEVEL);
  binaryen.setShrinkLevel(0);
  binaryen.setAlwaysInlineMaxSize(MAX_INLINED);
  binaryen.setOneCallerInlineMaxSize(MAX_INLINED_LEAF);
  binaryen.setFlexibleInlineMaxSize(MAX_INLINED_LEAF);
  module.optimize();
  return module.emitBinary();
}

/** Compiles one module to unoptimized WebAssembly text. @param root of the repository */
export async function disassembleAssembly(folder: string, root: string): Promise<string> {
  // Without this pass the text of the JPEG codec has 13 MB of zeros, which take 8 s to write and to read.
  const options = ['--textFile', OUTPUT, '--optimizeLevel', '0', '--runPasses', 'memory-packing'];
  return Buffer.from(await compile(folder, options, root)).toString();
}

async function compile(folder: string, options: readonly string[], root = ROOT): Promise<Uint8Array> {
  let made: Uint8Array | undefined;
  const source = `${folder}/index.ts`;
  const { error, stderr } = await asc.main([source, '--baseDir', root, ...options, ...OPTIONS], {
    writeFile: (name, contents) => {
      if (name === OUTPUT) made = typeof contents === 'string' ? Buffer.from(contents) : contents;
    },
  });
  if (error || !made) throw new Error(`${source} does not compile:\n${stderr.toString()}`);
  return made;
}
