/** Versions of the encoders. Results depend on them as well as on the source and the settings. */
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { packageVersion } from '../../server/version.ts';

/** A file of each package that encodes images. The package's version is part of the cache key. */
const ENCODERS = ['wasm-vips/vips.wasm', '@jsquash/avif/codec/enc/avif_enc.wasm', 'svgo'];

const require = createRequire(import.meta.url);

/** Versions of this program and of the installed encoders. Other versions may write other bytes. */
export function encoderVersion(): string {
  return [packageVersion(), ...ENCODERS.map((file) => versionAbove(require.resolve(file)))].join(' ');
}

/** Finds the version of the package that contains a file. Not every package exports its package.json. */
function versionAbove(path: string): string {
  for (let folder = dirname(path); folder !== dirname(folder); folder = dirname(folder)) {
    const file = join(folder, 'package.json');
    const { version } = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as { version?: string }) : {};
    if (version !== undefined) return version;
  }
  return 'unknown';
}
