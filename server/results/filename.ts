/** How file names of results are written into a header. */
import { FORMATS, OUTPUT_FORMATS } from '../../codecs/formats/registry.ts';

/**
 * Types that browsers may display. All others are only downloaded: a page
 * or a drawing with scripts would run with the rights of this origin.
 */
const INLINE_TYPES: ReadonlySet<string> = new Set(OUTPUT_FORMATS.flatMap((format) => FORMATS[format].contentTypes));

export const dispositionOf = (contentType: string): 'inline' | 'attachment' =>
  INLINE_TYPES.has(contentType) ? 'inline' : 'attachment';

/** Builds `Content-Disposition` with the name in ASCII and, for current clients, in UTF-8 (RFC 6266, RFC 8187). */
export function contentDisposition(type: 'inline' | 'attachment', filename: string): string {
  const ascii = filename.replaceAll(/[^\x20-\x7e]|["\\%]/g, '_');
  const encoded = encodeURIComponent(filename).replaceAll(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `${type}; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}
