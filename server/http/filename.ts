/** Names of results and how they are written into a header. */
import { FORMATS, type FormatId, OUTPUT_FORMATS } from '../../codecs/formats.ts';

const DEFAULT_STEM = 'image';
/** In characters. */
export const LONGEST_STEM = 100;

/** What may leave a folder, end a header, turn writing around or stand for half a character. */
const UNSAFE = /[/\\:*?"<>|\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/**
 * The name of a source without folders and extension, safe to be part of a file name; `image` where it has none.
 * @param source the name that it came with, if any
 */
export function sourceStem(source: string | undefined): string {
  const last = source?.split(/[/\\]/).at(-1) ?? '';
  const dot = last.lastIndexOf('.');
  const stem = [...(dot > 0 ? last.slice(0, dot) : last).replaceAll(UNSAFE, '_')].slice(0, LONGEST_STEM).join('');
  return withoutEdges(stem) || DEFAULT_STEM;
}

/** Without what file systems drop or hide at the ends of a name. */
export function withoutEdges(name: string): string {
  return name.replace(/^[\s.]+|[\s.]+$/g, '');
}

/** A result, as far as its name is concerned. */
export interface NamedFile {
  format: FormatId;
  /** Where it is not the first of the format. */
  extension?: string | undefined;
}

/** The extension of a file that we write, without the dot. */
export function extensionOf({ format, extension }: NamedFile): string {
  return extension ?? FORMATS[format].extensions[0];
}

/**
 * The name of a result: that of its source with the extension of its format.
 * @param source the name that the source came with, if any
 */
export function resultFilename(source: string | undefined, file: NamedFile): string {
  return `${sourceStem(source)}.${extensionOf(file)}`;
}

/**
 * What browsers show in their place. Everything else is only saved: a page or a drawing with scripts would run with the
 * rights of this address.
 */
const INLINE_TYPES: ReadonlySet<string> = new Set(OUTPUT_FORMATS.flatMap((format) => FORMATS[format].contentTypes));

export function dispositionOf(contentType: string): 'inline' | 'attachment' {
  return INLINE_TYPES.has(contentType) ? 'inline' : 'attachment';
}

/** `Content-Disposition` with the name in ASCII and, for every other client of today, in UTF-8 (RFC 6266, RFC 8187). */
export function contentDisposition(type: 'inline' | 'attachment', filename: string): string {
  const ascii = filename.replaceAll(/[^\x20-\x7e]|["\\%]/g, '_');
  const encoded = encodeURIComponent(filename).replaceAll(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `${type}; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}
