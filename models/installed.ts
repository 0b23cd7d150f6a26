/**
 * Finds installed models: files of the models folder, recognised by their checksum, not their name. Main-thread safe.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { access, constants, readdir, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { freeChunk } from '../base/free-buffer.ts';
import { packageFile } from '../base/package-file.ts';
import { CATALOGUE, type CatalogueModel, type ModelPurpose, type Purpose } from './catalogue.ts';
import { modelsFolderUnreadable } from './errors.ts';
import { TEXT_LANGUAGES, type TextLanguage } from './text-languages.ts';

export interface InstalledModel {
  /** Id in the catalogue, or of a model in the package. */
  id: string;
  path: string;
}

/** A model that comes with the package and is never fetched. */
export interface BuiltInModel extends InstalledModel {
  purpose: Purpose;
  licence: string;
  /** Hexadecimal. Undefined for a file from its own package, which the package manager has checked. */
  sha256?: string;
}

/**
 * The project's own upscaler, trained by `models/training`. The file is next to the sources, and builds use it there.
 * If you export another network, change its checksum here.
 */
const BUILT_IN_UPSCALER: BuiltInModel = {
  id: 'imagecrew-x2',
  purpose: 'upscale',
  path: packageFile('models/upscale-x2.onnx'),
  licence: 'MIT',
  sha256: 'a7e425a0af5e222f369258092a96338d1cdb28da4a379b56e967d55ce1356a4f',
};

export const BUILT_IN: readonly BuiltInModel[] = [
  BUILT_IN_UPSCALER,
  ...(Object.keys(TEXT_LANGUAGES) as TextLanguage[]).map((language) => ({
    id: language,
    purpose: 'ocr' as const,
    path: textDataPath(language),
    licence: 'Apache-2.0',
  })),
];

/** Returns the path of Tesseract's compressed data of a language, which is in its own package. */
export function textDataPath(language: TextLanguage): string {
  const file = `@tesseract.js-data/${language}/4.0.0_best_int/${language}.traineddata.gz`;
  try {
    return createRequire(import.meta.url).resolve(file);
  } catch {
    return packageFile(`node_modules/${file}`);
  }
}

/** Finds the best installed model of the purpose. A changed file is read again. */
export async function findModel(purpose: ModelPurpose, folder: string): Promise<InstalledModel | undefined> {
  for (const model of CATALOGUE) {
    const path = model.purpose === purpose ? await findModelFile(model, folder) : undefined;
    if (path !== undefined) return { id: model.id, path };
  }
  return purpose === 'upscale' ? BUILT_IN_UPSCALER : undefined;
}

/** Finds the file of the model in the folder, whatever its name. Returns undefined if there is none. */
export async function findModelFile(model: CatalogueModel, folder: string): Promise<string | undefined> {
  for (const name of await onnxFiles(folder)) {
    const path = join(folder, name);
    const known = await stat(path).catch(() => undefined);
    const accepted = model.files.filter(({ bytes }) => bytes === known?.size);
    if (!known || accepted.length === 0) continue;
    // A file that cannot be read is not a model.
    const checksum = await knownChecksum(path, `${known.size} ${known.mtimeMs} ${known.ino}`).catch(() => undefined);
    if (accepted.some(({ sha256 }) => sha256 === checksum)) return path;
  }
  return undefined;
}

/** Returns the path where a fetched model is stored. */
export const modelPath = ({ id }: CatalogueModel, folder: string): string => join(folder, `${id}.onnx`);

/** Whether a model without a valid file has an invalid file under its own name. */
export const isDamaged = async (model: CatalogueModel, folder: string): Promise<boolean> =>
  (await exists(modelPath(model, folder))) && (await findModelFile(model, folder)) === undefined;

/** The state of a purpose, with the models in use. `failed`: there is a file, but it is damaged. */
export type PurposeState = { state: 'ready'; ids: readonly string[] } | { state: 'missing' | 'failed' };

/** Reads the state from the files. Whether a model also loads is known only to a worker. */
export async function readPurposeState(purpose: Purpose, folder: string): Promise<PurposeState> {
  const used = await findUsedModels(purpose, folder);
  const present = await Promise.all(used.map(({ path }) => exists(path)));
  if (used.length > 0 && present.every(Boolean)) return { state: 'ready', ids: used.map(({ id }) => id) };
  const models = CATALOGUE.filter((model) => model.purpose === purpose);
  const damaged = await Promise.all(models.map((model) => isDamaged(model, folder)));
  return { state: damaged.includes(true) ? 'failed' : 'missing' };
}

async function findUsedModels(purpose: Purpose, folder: string): Promise<readonly InstalledModel[]> {
  if (purpose === 'ocr') return BUILT_IN.filter((model) => model.purpose === purpose);
  const found = await findModel(purpose, folder);
  return found ? [found] : [];
}

const exists = async (path: string): Promise<boolean> =>
  await access(path, constants.F_OK).then(
    () => true,
    () => false,
  );

/** Lists the ONNX files of the folder. A missing folder has none. */
export async function onnxFiles(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  return names.filter((name) => name.endsWith('.onnx')).sort();
}

/** Checksums by path, each with the version of its file. */
const checksums = new Map<string, { version: string; sha256: Promise<string> }>();

/** Checks that the folder can be read. It may be missing: the first fetch makes it. @throws Failure with the reason */
export async function checkModelsFolder(folder: string): Promise<void> {
  await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw modelsFolderUnreadable(folder, error);
  });
}

/** Makes every file be read again. */
export function forgetChecksums(): void {
  checksums.clear();
}

async function knownChecksum(path: string, version: string): Promise<string> {
  const known = checksums.get(path);
  const sha256 = known?.version === version ? known.sha256 : checksumOf(path);
  checksums.set(path, { version, sha256 });
  // A file may become readable without a new version.
  sha256.catch(() => checksums.delete(path));
  return await sha256;
}

/** Returns the SHA-256 of a file, hexadecimal. */
export async function checksumOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    hash.update(chunk);
    // An idle service would keep the whole model in garbage.
    freeChunk(chunk);
  }
  return hash.digest('hex');
}
