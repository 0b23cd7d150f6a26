/** The interface of trusted decoders, and functions that make one from a program. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { readAnymap } from './anymap.ts';
import { type Raster, readBySharp } from './raster.ts';
import { type Output, pythonWith, runProgram, versionOf } from './run-program.ts';

export interface PageOfFile {
  /** Path of the file. */
  file: string;
  /** Starts at 1. */
  page: number;
  /** An empty folder for the decoder's output. */
  folder: string;
}

export interface Decoded {
  raster: Raster;
  /** undefined if the decoder does not report it. */
  pages?: number | undefined;
}

export interface TrustedDecoder {
  name: string;
  version(): Promise<string>;
  /** @throws Error if it is not installed or cannot decode the file */
  decode(page: PageOfFile): Promise<Decoded>;
}

type Arguments = (request: PageOfFile & { out: string }) => readonly string[];

interface Program {
  program: string;
  /** The package that it belongs to, if its own name is not well known. */
  of?: string;
  version: readonly [program: string, ...args: string[]];
  args: Arguments;
  /** Extension of the file that it writes; without one it writes an anymap to standard output. */
  writes?: string;
  /** Number of pages, from 1; not set for programs that decode only one page. */
  pages?: (request: PageOfFile, output: Output) => Promise<number> | number;
  /** Whether it decodes pages after the first. */
  allPages?: true;
}

export function program({ program, of, version, args, writes, pages, allPages }: Program): TrustedDecoder {
  return {
    name: of ? `${of} (${program})` : program,
    version: () => versionOf(...version),
    async decode(request) {
      if (request.page > 1 && !allPages) throw new Error(`${program} decodes the first page only`);
      const out = join(request.folder, `out.${writes ?? 'pnm'}`);
      const output = await runProgram(program, args({ ...request, out }));
      const raster = writes ? await readWritten(out) : readAnymap(output.stdout);
      return { raster, pages: await pages?.(request, output) };
    },
  };
}

async function readWritten(out: string): Promise<Raster> {
  // Programs that write several images number them.
  const written = [out, out.replace(/(\.\w+)$/, '-1$1'), out.replace(/(\.\w+)$/, '_1$1')].find(existsSync);
  if (!written) throw new Error(`no ${basename(out)}`);
  return /\.p[bgpna]m$/.test(written) ? readAnymap(await readFile(written)) : readBySharp(written);
}

/** @param countsPages whether its frames are pages in our sense */
export const python = (
  library: 'pillow' | 'managed' | 'nibabel' | 'pydicom' | 'astropy',
  name: string,
  countsPages = true,
): TrustedDecoder => {
  const script = join(import.meta.dirname, 'reference.py');
  return {
    name,
    version: async () => versionOf(await pythonWith(library), script, 'version', library),
    async decode({ file, page, folder }) {
      const out = join(folder, 'out.png');
      const { stdout } = await runProgram(await pythonWith(library), [script, library, file, String(page), out]);
      return { raster: await readBySharp(out), pages: countsPages ? Number(stdout.toString()) : undefined };
    },
  };
};

export const netpbm = (name: string, ...options: readonly string[]): TrustedDecoder => ({
  name: `netpbm (${name})`,
  version: () => versionOf(name, '--version'),
  async decode({ file, page }) {
    if (page > 1) throw new Error(`${name} decodes the first page only`);
    return { raster: readAnymap((await runProgram(name, options, await readFile(file))).stdout) };
  },
});

export function numberIn({ stdout }: Output, pattern: RegExp): number {
  return Number(pattern.exec(stdout.toString('latin1'))?.[1]);
}
