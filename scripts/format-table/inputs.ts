/** The input files of the table. */

import { extensionOf } from '../../codecs/file-extension.ts';
import { FORMATS, INPUT_FORMATS, type InputFormat } from '../../codecs/formats/registry.ts';
import { corpus } from '../../test/support/corpus.ts';
import { type CorpusImage, listCorpusImages } from '../../test/support/manifest.ts';
import type { Raster } from './raster.ts';

export interface InputFile {
  /** Name in the table; it has the file's extension. */
  name: string;
  /** The format according to its name, until the reader has detected it. */
  format: InputFormat;
  bytes: Uint8Array;
  /** undefined for files made for the table. */
  listed?: CorpusImage;
  /** The pixels of a made file. */
  drawn?: Raster;
}

export function corpusInputs(): InputFile[] {
  return listCorpusImages().flatMap((listed) => {
    const bytes = corpus(listed.path);
    return bytes ? [{ name: listed.path, format: formatOfName(listed.path), bytes, listed }] : [];
  });
}

/** Folders that contain a single format, whatever the file names are. */
const FOLDERS: readonly InputFormat[] = ['dicom', 'raw', 'jxl', 'heic'];

function formatOfName(path: string): InputFormat {
  const folder = FOLDERS.find((format) => path.startsWith(`${format}/`));
  const extension = extensionOf(path);
  const named = INPUT_FORMATS.find((id) => FORMATS[id].extensions.includes(extension));
  return folder ?? named ?? 'jpeg';
}
