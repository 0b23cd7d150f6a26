import { existsSync, readFileSync } from 'node:fs';
import { packageFile } from '../base/package-file.ts';

/** The version in package.json; `unknown` without the file. */
export function packageVersion(): string {
  const path = packageFile('package.json');
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as { version: string }).version : 'unknown';
}
