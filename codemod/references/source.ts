/** Reads the texts that are searched for references. */
import type { LineIndex } from '../../web-documents/source-text.ts';
import { type FileState, sha256Of, withFile } from '../files.ts';
import type { ProjectRoot } from '../project/root.ts';
import { textOfBytes } from '../project/walk.ts';

export interface Source {
  path: string;
  text: string;
  state: FileState;
  places: LineIndex;
}

/** Reads a source; undefined if it no longer exists or is not UTF-8. */
export async function readSource(root: ProjectRoot, path: string): Promise<Omit<Source, 'places'> | undefined> {
  return await withFile(root, path, async (file) => {
    const bytes = await file.readFile();
    const mode = (await file.stat()).mode & 0o7777;
    const text = textOfBytes(bytes);
    if (text === undefined) return undefined;
    return { path, text, state: { sha256: sha256Of(bytes), bytes: bytes.length, mode } };
  });
}
