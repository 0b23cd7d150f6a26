/** The models for tests, kept beside the repository. A test that needs them skips with a word when they are not there. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { repositoryFile } from './repository.ts';

const folder = resolve(process.env.IMAGECREW_TEST_MODELS ?? fileURLToPath(repositoryFile('../shared/models')));

/** The folder that has them, as the setting IC_MODELS_DIR takes it. */
export const MODELS_FOLDER = folder;

/** The reason to skip a test that cannot do without installed models; false when they are there. */
export const noModels: string | false = existsSync(folder) ? false : 'the installed models are not there';
