/** File names of results. Main-thread safe. */
import { FORMATS, type FormatId } from '../codecs/formats/registry.ts';

const DEFAULT_STEM = 'image';
/** In characters. */
export const MAX_STEM_LENGTH = 100;

/** Characters that could leave a folder, end a header, reverse the text direction or be half a surrogate pair. */
const UNSAFE = /[/\\:*?"<>|\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/**
 * Returns the source's name without folders and extension, safe as part of a file name; `image` if nothing is left.
 * @param source name that the source was sent with, if any
 */
export function sourceStem(source: string | undefined): string {
  const last = source?.split(/[/\\]/).at(-1) ?? '';
  const dot = last.lastIndexOf('.');
  const stem = [...(dot > 0 ? last.slice(0, dot) : last).replaceAll(UNSAFE, '_')].slice(0, MAX_STEM_LENGTH).join('');
  return trimUnsafeEnds(stem) || DEFAULT_STEM;
}

/** Removes what file systems drop or hide at the ends of a name. */
export const trimUnsafeEnds = (name: string): string => name.replace(/^[\s.]+|[\s.]+$/g, '');

/** The properties of a result that determine its file name. */
export interface NamedFile {
  format: FormatId;
  /** Set if it is not the first extension of the format. */
  extension?: string | undefined;
}

/** Returns the extension of a file that the service writes, without the dot. */
export const extensionOf = ({ format, extension }: NamedFile): string => extension ?? FORMATS[format].extensions[0];

/**
 * Returns the file name of a result: the name of its source with the extension of its format.
 * @param source name that the source was sent with, if any
 */
export const resultFilename = (source: string | undefined, file: NamedFile): string =>
  `${sourceStem(source)}.${extensionOf(file)}`;
