/**
 * The WebAssembly modules of the codecs, compiled once per process and shared with every worker thread: a replaced
 * worker starts with machine code that is already optimised. Compilation runs on V8's own threads.
 */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { packageFile } from '../base/package-file.ts';
import { limitMemory } from './memory-limit.ts';
import { meterWork } from './work-limit.ts';

const require = createRequire(import.meta.url);

/** Of packages, and of this one. */
const MODULE_FILES = {
  vips: 'wasm-vips/vips.wasm',
  avifEncoder: '@jsquash/avif/codec/enc/avif_enc.wasm',
  jpeg: 'codecs/jpeg/jpeg.wasm',
  kernels: 'codecs/kernels/kernels.wasm',
  webp: 'codecs/webp/webp.wasm',
  resvg: '@resvg/resvg-wasm/index_bg.wasm',
  // libvips loads these two itself, from disk. V8 keeps one compilation per byte sequence for as long as somebody holds
  // it, so holding them here saves each worker 45 ms.
  vipsJxl: 'wasm-vips/vips-jxl.wasm',
  vipsHeif: 'wasm-vips/vips-heif.wasm',
} as const;

export type ModuleName = keyof typeof MODULE_FILES;
export type Modules = Record<ModuleName, WebAssembly.Module>;

/**
 * Most bytes of memory, of the modules that set no bound themselves and draw what strangers ask for. resvg: the largest
 * drawing at the default limit of decoded bytes takes 176 MB, its layers and pictures the rest.
 */
const MEMORY_LIMITS: Partial<Record<ModuleName, number>> = { resvg: 400 * 2 ** 20 };

/** Modules with a limit of work (work-limit.ts). */
const METERED: ReadonlySet<ModuleName> = new Set(['resvg']);

let compiled: Promise<Modules> | undefined;

/** For all pools of the process. To count work alone holds the main thread for 0.1 s, and a pool may be opened for a request. */
export function compileModules(): Promise<Modules> {
  compiled ??= compileAll();
  return compiled;
}

async function compileAll(): Promise<Modules> {
  const names = Object.keys(MODULE_FILES) as ModuleName[];
  const entries = await Promise.all(names.map(async (name) => [name, await compileModule(name)]));
  return Object.fromEntries(entries) as Modules;
}

export async function compileModule(name: ModuleName): Promise<WebAssembly.Module> {
  const path = MODULE_FILES[name];
  const file = await readFile(path.startsWith('codecs/') ? packageFile(path) : require.resolve(path));
  const limit = MEMORY_LIMITS[name];
  const limited = limit === undefined ? file : limitMemory(file, limit);
  return WebAssembly.compile(METERED.has(name) ? meterWork(limited) : limited);
}
