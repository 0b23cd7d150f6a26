import { existsSync, readFileSync } from 'node:fs';

/** The version in package.json, two folders above the sources and three above the compiled files. */
export function packageVersion(): string {
  const [path] = ['../package.json', '../../../package.json']
    .map((relative) => new URL(relative, import.meta.url))
    .filter((url) => existsSync(url));
  return path ? (JSON.parse(readFileSync(path, 'utf8')) as { version: string }).version : 'unknown';
}
