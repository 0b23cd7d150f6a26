/** Compiles the modules that are written in AssemblyScript to WebAssembly. */
import { join } from 'node:path';
import asc from 'assemblyscript/asc';
import binaryen from 'binaryen';

const ROOT = join(import.meta.dirname, '..');
const OUTPUT = 'module.wasm';
const OPTIMIZE_LEVEL = 3;
/** They allocate nothing by themselves and check nothing: addresses are their callers' business. */
const OPTIONS = ['--runtime', 'stub', '--enable', 'simd', '--noAssert'];
/** Of WebAssembly, which Node 20 has. */
export const FEATURES =
  binaryen.Features.SIMD128 |
  binaryen.Features.BulkMemory |
  binaryen.Features.BulkMemoryOpt |
  binaryen.Features.MutableGlobals |
  binaryen.Features.SignExt |
  binaryen.Features.NontrappingFPToInt;
/** What functions are inlined up to, in instructions: with the values of AssemblyScript decoding a JPEG takes a quarter more time. */
const MAX_INLINED = 150;
const MAX_INLINED_LEAF = 400;

/** @param folder of the sources, such as `codecs/kernels/assembly` */
export async function compileAssembly(folder: string): Promise<Uint8Array> {
  return await compile(folder, ['--outFile', OUTPUT, '--optimizeLevel', `${OPTIMIZE_LEVEL}`, '--shrinkLevel', '0']);
}

/** The same with many more functions inlined. */
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

/** As text, as it is written. @param root of the repository */
export async function textOfAssembly(folder: string, root: string): Promise<string> {
  return Buffer.from(await compile(folder, ['--textFile', OUTPUT, '--optimizeLevel', '0'], root)).toString();
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
