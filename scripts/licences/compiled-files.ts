/** Finds compiled code in packages: it may contain libraries that the package does not name. */
import { readdirSync, readFileSync, statSync } from 'node:fs';

const COMPILED = /[.](?:wasm|node)$/;
const SCRIPT = /[.][cm]?js$/;
/** The first bytes of a WebAssembly module (`\0asm`, version 1) in Base64. */
const EMBEDDED = 'AGFzbQEAAAA';
/** Smaller scripts only test by a few bytes which features the engine has. */
const MIN_EMBEDDING_SCRIPT_BYTES = 64 * 1024;

/**
 * Returns WebAssembly, native addons, and scripts with WebAssembly in them, relative to the folder of the package.
 * Packages within the folder have an entry of their own.
 * @returns undefined if the package is not installed
 */
export function compiledFilesIn(folder: string): string[] | undefined {
  let names: string[];
  try {
    names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  } catch {
    return undefined;
  }
  return names
    .filter((name) => !name.includes('node_modules/'))
    .filter((name) => COMPILED.test(name) || (SCRIPT.test(name) && embedsWebAssembly(`${folder}/${name}`)))
    .sort();
}

const embedsWebAssembly = (path: string): boolean =>
  statSync(path).size >= MIN_EMBEDDING_SCRIPT_BYTES && readFileSync(path).includes(EMBEDDED);
