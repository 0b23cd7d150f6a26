/**
 * The models for tests, stored beside the repository. A test that needs them is skipped with a reason if they are
 * missing.
 */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { repositoryFile } from './repository.ts';

const folder = resolve(process.env.IMAGECREW_TEST_MODELS ?? fileURLToPath(repositoryFile('../shared/models')));

/** The folder of the models, as the setting IC_MODELS_DIR takes it. */
export const MODELS_FOLDER = folder;

/** The reason to skip a test that needs installed models, or false if they exist. */
export const modelsSkipReason: string | false = existsSync(folder) ? false : 'the installed models are not there';
