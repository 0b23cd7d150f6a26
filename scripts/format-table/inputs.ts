/** The files that the table is about. */

import { extensionOf } from '../../codecs/file-extension.ts';
import { FORMATS, INPUT_FORMATS, type InputFormat } from '../../codecs/formats.ts';
import { corpus } from '../../test/support/corpus.ts';
import { type ListedPicture, listedPictures } from '../../test/support/manifest.ts';
import type { Raster } from './raster.ts';

export interface InputFile {
  /** What the table calls it; it ends in the extension that the file has. */
  name: string;
  /** The format it is of, going by its name, until the reader has told. */
  format: InputFormat;
  bytes: Uint8Array;
  /** undefined for files that were made for the table. */
  listed?: ListedPicture;
  /** What is in a file that was made. */
  drawn?: Raster;
}

export function corpusInputs(): InputFile[] {
  return listedPictures().flatMap((listed) => {
    const bytes = corpus(listed.path);
    return bytes ? [{ name: listed.path, format: formatOfName(listed.path), bytes, listed }] : [];
  });
}

/** Folders that hold one format whatever their files are called. */
const FOLDERS: readonly InputFormat[] = ['dicom', 'raw', 'jxl', 'heic'];

function formatOfName(path: string): InputFormat {
  const folder = FOLDERS.find((format) => path.startsWith(`${format}/`));
  const extension = extensionOf(path);
  const named = INPUT_FORMATS.find((id) => FORMATS[id].extensions.includes(extension));
  return folder ?? named ?? 'jpeg';
}
