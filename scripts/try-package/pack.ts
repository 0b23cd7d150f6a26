import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

export interface Tarball {
  name: string;
  path: string;
  bytes: number;
  unpackedBytes: number;
  files: readonly { path: string; size: number }[];
}

const MAX_BYTES = 8_000_000;
/** What only this repository needs. */
const UNWANTED = /[.]map$|[.]tsbuildinfo$|(^|\/)(test|bench|node_modules)\//;

/** Packs the package into the folder. @throws Error if it is too large, or contains what users do not need */
export async function pack(folder: string): Promise<Tarball> {
  const { stdout } = await promisify(execFile)('npm', ['pack', '--json', '--pack-destination', folder], {
    maxBuffer: 2 ** 26,
  });
  // Lines of the build come before.
  const [{ filename, size, unpackedSize, files }] = JSON.parse(stdout.slice(stdout.search(/^\[/m)));
  const tarball = { name: filename, path: join(folder, filename), bytes: size, unpackedBytes: unpackedSize, files };
  if (size > MAX_BYTES) throw new Error(`Expected a package of at most ${MAX_BYTES} bytes but received ${size}.`);
  const unwanted = tarball.files.find(({ path }: { path: string }) => UNWANTED.test(path));
  if (unwanted) throw new Error(`Expected only files for users in the package but received ${unwanted.path}.`);
  await readFile(tarball.path);
  return tarball;
}
