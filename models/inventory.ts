/** Lists all models and their states, for the command line. Main-thread safe. */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { CATALOGUE, type CatalogueModel, type Purpose } from './catalogue.ts';
import {
  BUILT_IN,
  type BuiltInModel,
  checksumOf,
  findModelFile,
  forgetChecksums,
  isDamaged,
  modelPath,
  onnxFiles,
} from './installed.ts';

/** One model as the command `models list` prints it. */
export interface ModelRow {
  id: string;
  purpose: Purpose;
  installed: boolean;
  /** Whether it comes with the package. */
  built_in: boolean;
  /** Whether `models pull` fetches it without its id. */
  default: boolean;
  /** Size of the installed file, or of the file at its address. */
  bytes: number;
  licence: string;
  notice: string | null;
  path: string | null;
}

export async function listModels(folder: string): Promise<ModelRow[]> {
  const fetched = CATALOGUE.map((model) => rowOf(model, folder));
  const builtIn = BUILT_IN.map(async ({ id, purpose, path, licence }): Promise<ModelRow> => {
    const bytes = await bytesOf(path);
    const installed = bytes !== undefined;
    return {
      id,
      purpose,
      installed,
      built_in: true,
      default: false,
      bytes: bytes ?? 0,
      licence,
      notice: null,
      path: installed ? path : null,
    };
  });
  return await Promise.all([...fetched, ...builtIn]);
}

export async function rowOf(model: CatalogueModel, folder: string): Promise<ModelRow> {
  const path = await findModelFile(model, folder);
  return {
    id: model.id,
    purpose: model.purpose,
    installed: path !== undefined,
    built_in: false,
    default: model.default,
    bytes: (path === undefined ? undefined : await bytesOf(path)) ?? model.files[0].bytes,
    licence: model.licence,
    notice: model.notice ?? null,
    path: path ?? null,
  };
}

const bytesOf = async (path: string): Promise<number | undefined> => (await stat(path).catch(() => undefined))?.size;

/** One file, or one model without a file, as `models verify` prints it. */
export interface VerifiedRow {
  /** Null for an unknown file. */
  id: string | null;
  purpose: Purpose | null;
  state: 'ok' | 'missing' | 'damaged' | 'unknown';
  path: string | null;
}

/** Reads every file again, without the cached checksums. */
export async function verifyModels(folder: string): Promise<VerifiedRow[]> {
  forgetChecksums();
  const rows: VerifiedRow[] = [];
  for (const model of CATALOGUE) {
    const { id, purpose } = model;
    const path = await findModelFile(model, folder);
    if (path !== undefined) rows.push({ id, purpose, state: 'ok', path });
    else if (await isDamaged(model, folder))
      rows.push({ id, purpose, state: 'damaged', path: modelPath(model, folder) });
    else rows.push({ id, purpose, state: 'missing', path: null });
  }
  for (const model of BUILT_IN) {
    const { id, purpose, path } = model;
    const state = await builtInState(model);
    rows.push({ id, purpose, state, path: state === 'missing' ? null : path });
  }
  const known = new Set(rows.map(({ path }) => path));
  for (const name of await onnxFiles(folder)) {
    const path = join(folder, name);
    if (!known.has(path)) rows.push({ id: null, purpose: null, state: 'unknown', path });
  }
  return rows;
}

/** Reads the file of a model and checks it. */
export async function builtInState({
  path,
  sha256,
}: Pick<BuiltInModel, 'path' | 'sha256'>): Promise<'ok' | 'missing' | 'damaged'> {
  const found = await checksumOf(path).catch(() => undefined);
  if (found === undefined) return 'missing';
  return sha256 === undefined || sha256 === found ? 'ok' : 'damaged';
}
