/** Reads the lists that packages contain of what is compiled into their files. */
import { readFileSync } from 'node:fs';
import type { InventoryEntry } from './library.ts';

/** `versions.json` of wasm-vips. */
export function versionsOfVips(folder: string): InventoryEntry[] {
  const versions = JSON.parse(readFileSync(`${folder}/versions.json`, 'utf8')) as Record<string, string>;
  return Object.entries(versions).map(([key, version]) => ({ key, version }));
}

/** `NOTICE` of magick-wasm: its sections begin with `[ zlib 1.3.2 (2026-02-17) ]`. */
export const sectionsOfMagick = (folder: string): InventoryEntry[] =>
  sectionsOf(readFileSync(`${folder}/NOTICE`, 'utf8'), /^\[ (?<key>\S+) (?<version>\S+) .*\]$/gm);

function sectionsOf(text: string, header: RegExp): InventoryEntry[] {
  const headers = [...text.matchAll(header)];
  return headers.map(({ index, 0: line, groups }, position) => ({
    key: groups!.key!,
    version: groups!.version!,
    text: text.slice(index + line.length, headers[position + 1]?.index).trim(),
  }));
}
