/**
 * Compiles the WebAssembly modules of the codecs once per process and shares them with every worker thread, so a
 * replaced worker starts with optimised machine code. Compilation runs on V8's own threads.
 */
import { readFile } from 'node:fs/promises';
import { freeChunk } from '../base/free-buffer.ts';
import { packageFile, readDependency } from '../base/package-file.ts';
import { limitMemory } from './memory-limit.ts';
import { meterWork } from './work-limit.ts';

/** Files of packages, and of this project. */
const MODULE_FILES = {
  vips: 'wasm-vips/vips.wasm',
  avifEncoder: '@jsquash/avif/codec/enc/avif_enc.wasm',
  jpeg: 'codecs/jpeg/jpeg.wasm',
  kernels: 'codecs/kernels/kernels.wasm',
  webp: 'codecs/webp/webp.wasm',
  resvg: '@resvg/resvg-wasm/index_bg.wasm',
  // libvips loads these two itself, from disk. V8 keeps one compilation per byte sequence while it is referenced, so
  // holding them here saves each worker 45 ms.
  vipsJxl: 'wasm-vips/vips-jxl.wasm',
  vipsHeif: 'wasm-vips/vips-heif.wasm',
} as const;

export type ModuleName = keyof typeof MODULE_FILES;
export type Modules = Record<ModuleName, WebAssembly.Module>;

/**
 * Memory limits in bytes, for modules that set none themselves and draw untrusted files. resvg: the largest drawing at
 * the default limit of decoded bytes takes 176 MB; its layers and images take the rest.
 */
const MEMORY_LIMITS: Partial<Record<ModuleName, number>> = { resvg: 400 * 2 ** 20 };

/** Modules with a work limit (work-limit.ts). */
const METERED: ReadonlySet<ModuleName> = new Set(['resvg']);

let compiled: Promise<Modules> | undefined;

/**
 * Compiles the modules once, for all pools of the process. A pool may be opened during a request, and adding the work
 * limit alone blocks the main thread for 0.1 s.
 */
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
  const file = await (path.startsWith('codecs/') ? readFile(packageFile(path)) : readDependency(path));
  const limit = MEMORY_LIMITS[name];
  const limited = limit === undefined ? file : limitMemory(file, limit);
  const metered = METERED.has(name) ? meterWork(limited) : limited;
  const module = await WebAssembly.compile(metered);
  // V8 has copied them. As garbage of an idle thread 15 MB would stay.
  for (const bytes of new Set([file, limited, metered])) freeChunk(bytes);
  return module;
}
