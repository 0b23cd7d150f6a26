import { expected, Failure } from '../base/failure.ts';
import { CATALOGUE, type CatalogueModel, type ModelPurpose } from './catalogue.ts';

/** In seconds. An operator has to install the model, which takes time. */
const RETRY_AFTER = 600;

/** The task of the models of a purpose, in words. */
const PURPOSE_LABELS: Readonly<Record<ModelPurpose, string>> = {
  background: 'finding the subject of an image',
  faces: 'finding faces',
  upscale: 'upscaling',
};

/** Returns the command that installs a model of the purpose. */
export function pullCommand(purpose: ModelPurpose): string {
  const model = CATALOGUE.find((candidate) => candidate.purpose === purpose && candidate.default);
  return `imagecrew models pull${model ? ` ${model.id}` : ''}`;
}

/** At startup: the folder of the models cannot be read. */
export const modelsFolderUnreadable = (folder: string, error: NodeJS.ErrnoException): Failure =>
  new Failure('internal_error', expected(`a folder that can be read (${error.code})`, 'IC_MODELS_DIR', folder), {
    cause: error,
  });

/** 503: no model of the purpose is installed. */
export function modelMissing(purpose: ModelPurpose): Failure {
  return new Failure(
    'model_unavailable',
    `Expected an installed model for ${PURPOSE_LABELS[purpose]} but received a request before there is one.`,
    { retryAfter: RETRY_AFTER, hint: `The operator of this service installs it with: ${pullCommand(purpose)}` },
  );
}

/** 503: the model is installed but does not load. The cause is for the log. */
export function modelBroken(purpose: ModelPurpose, cause: unknown): Failure {
  return new Failure(
    'model_unavailable',
    `Expected a working model for ${PURPOSE_LABELS[purpose]} but received one that does not load.`,
    { retryAfter: RETRY_AFTER, cause, hint: 'The operator of this service checks it with: imagecrew models verify' },
  );
}

/** The failure for what was received instead of a model's file. */
export const modelNotFetched = ({ id }: CatalogueModel, address: string, received: string, cause?: unknown): Failure =>
  new Failure('url_fetch_failed', `Expected the model ${id} from ${address} but received ${received}.`, {
    cause,
  });

const NO_ROOM: ReadonlySet<string | undefined> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

/** Whether a file could not be written because the disk, or the user's quota, is full. */
export const isNoRoom = (error: unknown): boolean => NO_ROOM.has(errorCode(error));

/** The failure for a models folder that cannot be written. */
export function folderUnusable(folder: string, error: unknown): Failure {
  const what = isNoRoom(error) ? 'room for a model' : 'a folder that can be written';
  const sentence = expected(what, 'IC_MODELS_DIR', `${folder} (${errorCode(error) ?? 'an error'})`);
  return new Failure('internal_error', sentence, { cause: error });
}

export function noRoom(folder: string, needed: number, free: number): Failure {
  const sentence = `Expected ${needed} bytes of room in ${folder} (IC_MODELS_DIR) but received ${free}.`;
  return new Failure('storage_full', sentence);
}

/** Returns the code of a system error. */
export const errorCode = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error ? String(error.code) : undefined;
