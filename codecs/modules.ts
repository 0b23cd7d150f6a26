/**
 * The WebAssembly modules of the codecs, compiled once per process and shared with every worker thread: a replaced
 * worker starts with machine code that is already optimised. Compilation runs on V8's own threads.
 */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

const MODULE_FILES = {
  vips: 'wasm-vips/vips.wasm',
  avifEncoder: '@jsquash/avif/codec/enc/avif_enc.wasm',
  resvg: '@resvg/resvg-wasm/index_bg.wasm',
  // libvips loads these two itself, from disk. V8 keeps one compilation per byte sequence for as long as somebody holds
  // it, so holding them here saves each worker 45 ms.
  vipsJxl: 'wasm-vips/vips-jxl.wasm',
  vipsHeif: 'wasm-vips/vips-heif.wasm',
} as const;

export type ModuleName = keyof typeof MODULE_FILES;
export type Modules = Record<ModuleName, WebAssembly.Module>;

export async function compileModules(): Promise<Modules> {
  const entries = await Promise.all(
    Object.entries(MODULE_FILES).map(async ([name, file]) => [
      name,
      await WebAssembly.compile(await readFile(require.resolve(file))),
    ]),
  );
  return Object.fromEntries(entries) as Modules;
}
