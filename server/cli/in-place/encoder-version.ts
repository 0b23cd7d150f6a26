/** What a result depends on besides its source and its settings. */
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { packageVersion } from '../version.ts';

/** Files of the packages that write images: of each the version counts. */
const ENCODERS = ['wasm-vips/vips.wasm', '@jsquash/avif/codec/enc/avif_enc.wasm', 'svgo'];

const require = createRequire(import.meta.url);

/** Versions of this program and of the encoders that are installed with it. Another one may write other bytes. */
export function encoderVersion(): string {
  return [packageVersion(), ...ENCODERS.map((file) => versionAbove(require.resolve(file)))].join(' ');
}

/** The version of the package that a file belongs to. Not all packages let their package.json be resolved. */
function versionAbove(path: string): string {
  for (let folder = dirname(path); folder !== dirname(folder); folder = dirname(folder)) {
    const file = join(folder, 'package.json');
    const { version } = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as { version?: string }) : {};
    if (version !== undefined) return version;
  }
  return 'unknown';
}
