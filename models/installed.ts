/** Which models are there: the files of the models folder, recognised by their checksum and not by their name. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { CATALOGUE, type CatalogueModel, type ModelPurpose } from './catalogue.ts';

export interface InstalledModel {
  /** Of the catalogue, or of the package. */
  id: string;
  path: string;
}

/** The upscaler of the project's own, trained by `models/training`. It lies beside the sources, also for what is built from them. */
const OWN_UPSCALER: InstalledModel = { id: 'imagecrew-x2', path: packageFile('models/upscale-x2.onnx') };

function packageFile(path: string): string {
  const fromBuild = import.meta.url.endsWith('.js');
  return fileURLToPath(new URL(`${fromBuild ? '../../' : '../'}${path}`, import.meta.url));
}

/** The best model of the purpose that is installed. A file that changes is looked at again. */
export async function findModel(purpose: ModelPurpose, folder: string): Promise<InstalledModel | undefined> {
  for (const model of CATALOGUE) {
    const path = model.purpose === purpose ? await fileOf(model, folder) : undefined;
    if (path !== undefined) return { id: model.id, path };
  }
  return purpose === 'upscale' ? OWN_UPSCALER : undefined;
}

/** The file in the folder that is the model, whatever its name; undefined when none is. */
export async function fileOf(model: CatalogueModel, folder: string): Promise<string | undefined> {
  for (const name of await onnxFiles(folder)) {
    const path = join(folder, name);
    const known = await stat(path).catch(() => undefined);
    const accepted = model.files.filter(({ bytes }) => bytes === known?.size);
    if (!known || accepted.length === 0) continue;
    const checksum = await checksumOf(path, `${known.size} ${known.mtimeMs} ${known.ino}`);
    if (accepted.some(({ sha256 }) => sha256 === checksum)) return path;
  }
  return undefined;
}

/** Of a folder that is not there, none. */
async function onnxFiles(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  return names.filter((name) => name.endsWith('.onnx')).sort();
}

/** Checksums by path, with the version of the file that they are of. */
const checksums = new Map<string, { version: string; sha256: string }>();

async function checksumOf(path: string, version: string): Promise<string> {
  const known = checksums.get(path);
  if (known?.version === version) return known.sha256;
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  const sha256 = hash.digest('hex');
  checksums.set(path, { version, sha256 });
  return sha256;
}
