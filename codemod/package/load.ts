/** Loads a package into `.ic/packages`, completely and only if every file matches the map. */
import { FORMATS, type FormatId } from '../../codecs/formats/registry.ts';
import { hasSignature } from '../../codecs/sniff.ts';
import type { Call } from '../../mcp/tool.ts';
import { MAPPING_FILE } from '../../replacement-package/layout.ts';
import { packageHashMismatch, packageInvalid, packageNotFound } from '../errors.ts';
import { Staging } from '../files.ts';
import type { ProjectRoot } from '../project/root.ts';
import { ensureStateFolder, STATE_FOLDER } from '../state-folder.ts';
import { filesOf, type NewFile, parsePackage, type ReplacementPackage } from './package.ts';
import { MAX_PACKAGE_BYTES, type PackageSource, withPackageSource } from './source.ts';

export interface LoadedPackage {
  package: ReplacementPackage;
  files: number;
  bytes: number;
  warnings: string[];
}

/** Maximum size of the map: 65,000 lines with 100 spellings each. */
const MAX_MAP_BYTES = 300_000_000;

/** Path of the package in the staging folder. */
const STAGING_NAME = 'package';

const folderOf = (id: string): string => `${STATE_FOLDER}/packages/${id}`;

/**
 * Loads a package from a ZIP file or a folder of the project.
 * @param path relative to the root
 * @throws Failure `package_invalid`, `package_hash_mismatch`, `path_outside_root`
 */
export async function loadPackage(
  root: ProjectRoot,
  path: string,
  { signal, progress }: Pick<Call, 'signal' | 'progress'>,
): Promise<LoadedPackage> {
  return await withPackageSource(root, path, async (source) => {
    const map = await readMap(source);
    const loaded = parsePackage(map.toString('utf8'), folderOf);
    const wanted = filesOf(loaded.lines);
    await checkSizes(source, wanted);
    await ensureStateFolder(root, 'packages');
    let [files, bytes] = [0, 0];
    await Staging.use(root, async (staging) => {
      for (const [name, { sha256, format }] of wanted) {
        signal.throwIfAborted();
        const head: Uint8Array[] = [];
        const written = await staging.write(withHead(source.open(name), head), { as: `${STAGING_NAME}/${name}` });
        if (sha256 !== undefined && written.sha256 !== sha256) throw packageHashMismatch(name);
        if (!isOfFormat(Buffer.concat(head), format)) throw packageInvalid(`a file that is no ${format}: "${name}"`);
        files += 1;
        bytes += written.bytes;
        // The size was checked before, but a folder's files may grow while they are read.
        if (bytes > MAX_PACKAGE_BYTES) throw tooLarge();
        progress(files, wanted.size);
      }
      await staging.write(map, { as: `${STAGING_NAME}/${MAPPING_FILE}` });
      await staging.placeFolder(STAGING_NAME, loaded.folder);
    });
    return { package: loaded, files, bytes, warnings: warningsOf(source, loaded, wanted) };
  });
}

/** Opens a package that was loaded by this process or an earlier one. @throws Failure `package_not_found` */
export async function openPackage(root: ProjectRoot, id: string): Promise<ReplacementPackage> {
  if (!/^\w+$/.test(id)) throw packageNotFound(id);
  const map = await root.read(`${folderOf(id)}/${MAPPING_FILE}`, MAX_MAP_BYTES).catch(() => undefined);
  if (!map) throw packageNotFound(id);
  return parsePackage(map.toString('utf8'), folderOf);
}

async function readMap(source: PackageSource): Promise<Buffer> {
  const bytes = await source.bytesOf(MAPPING_FILE);
  if (bytes === undefined) throw packageInvalid(`one without ${MAPPING_FILE}`);
  if (bytes > MAX_MAP_BYTES) throw packageInvalid(`a ${MAPPING_FILE} of ${bytes} bytes`);
  const chunks: Uint8Array[] = [];
  for await (const chunk of source.open(MAPPING_FILE)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Number of bytes needed to detect a format. */
const HEAD_BYTES = 32_768;

/** Passes the chunks through and keeps the first bytes. */
async function* withHead(pieces: AsyncIterable<Uint8Array>, head: Uint8Array[]): AsyncGenerator<Uint8Array> {
  let kept = 0;
  for await (const piece of pieces) {
    if (kept < HEAD_BYTES) {
      head.push(Uint8Array.from(piece.subarray(0, HEAD_BYTES - kept)));
      kept += piece.length;
    }
    yield piece;
  }
}

const isOfFormat = (head: Uint8Array, format: string): boolean =>
  format in FORMATS && hasSignature(head, format as FormatId);

/** Checks the file sizes before anything is written. */
async function checkSizes(source: PackageSource, wanted: ReadonlyMap<string, NewFile>): Promise<void> {
  let total = 0;
  for (const [name, { bytes }] of wanted) {
    const found = await source.bytesOf(name);
    if (found === undefined) throw packageInvalid(`one without the file "${name}" of its map`);
    if (bytes !== undefined && found !== bytes) throw packageHashMismatch(name);
    total += found;
  }
  if (total > MAX_PACKAGE_BYTES) throw tooLarge();
}

function warningsOf(
  { names = [] }: PackageSource,
  { lines }: ReplacementPackage,
  wanted: ReadonlyMap<string, NewFile>,
): string[] {
  const unnamed = names.filter((name) => name.startsWith('files/') && !wanted.has(name));
  return [
    ...(lines.length === 0 ? ['The package replaces nothing.'] : []),
    ...(unnamed.length > 0 ? [`${unnamed.length} files that the map does not name were left out.`] : []),
  ];
}

const tooLarge = (): Error => packageInvalid(`more than ${MAX_PACKAGE_BYTES} bytes`);
