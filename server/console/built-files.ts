/** Reads the files that Vite built from `app/`, once. */
import { readdir, readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { StaticFile } from '../http/static-file.ts';

const FOLDER = new URL('built/', import.meta.url);

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.json': 'application/json; charset=utf-8',
};

export interface BuiltFiles {
  /** Files by name. */
  files: ReadonlyMap<string, StaticFile>;
  /** Returns the addresses of the script and the style sheets that a page needs for an entry. */
  entry(source: string): { script: string; styles: string[] };
}

interface Chunk {
  file: string;
  css?: string[];
  imports?: string[];
}

let built: Promise<BuiltFiles | undefined> | undefined;

/** @returns undefined where nothing has been built, for example in a checkout that runs `npm run dev` */
export function loadBuiltFiles(): Promise<BuiltFiles | undefined> {
  built ??= readBuilt().catch((error: unknown) => {
    built = undefined;
    throw error;
  });
  return built;
}

async function readBuilt(): Promise<BuiltFiles | undefined> {
  const names = await readdir(FOLDER).catch((): string[] => []);
  if (!names.includes('manifest.json')) return undefined;
  const read = async (name: string) => {
    const type = TYPES[extname(name)] ?? 'application/octet-stream';
    return [name, new StaticFile(type, await readFile(new URL(name, FOLDER)))] as const;
  };
  const files = new Map(await Promise.all(names.map(read)));
  const manifest = JSON.parse(files.get('manifest.json')!.bytes.toString()) as Record<string, Chunk>;
  const stylesOf = ({ css = [], imports = [] }: Chunk): string[] => [
    ...imports.flatMap((name) => stylesOf(manifest[name]!)),
    ...css,
  ];
  return {
    files,
    entry(source) {
      const chunk = manifest[source]!;
      const styles = [...new Set(stylesOf(chunk))];
      return { script: addressOf(chunk.file), styles: styles.map(addressOf) };
    },
  };
}

export const BUILT_PATH = '/console';

const addressOf = (name: string): string => `${BUILT_PATH}/${name}`;
