/**
 * Reads what a file records about its image beyond the header needed for decoding. Loads no WebAssembly and never
 * throws.
 */
import { FORMATS, type FormatId } from '../formats/registry.ts';
import { readExif } from '../metadata/exif.ts';
import { openExifSections } from '../tags/exif-tags.ts';
import type { FileFacts } from './facts.ts';
import { previewOf } from './tiff.ts';

/** @param page counted from 1 */
export function readFacts(format: FormatId, bytes: Uint8Array, page: number): FileFacts {
  const facts = FORMATS[format].readFacts?.(new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength), page) ?? {
    blocks: {},
  };
  const { blocks } = facts;
  const exif = facts.exif ?? (blocks.exif ? openExifSections(blocks.exif) : undefined);
  const preview = (exif?.thumbnail && previewOf(exif.thumbnail)) ?? facts.preview;
  const density = blocks.density ?? (blocks.exif && readExif(blocks.exif).density);
  return {
    ...facts,
    ...(exif ? { exif } : {}),
    ...(preview ? { preview } : {}),
    ...(density ? { density } : {}),
  };
}
