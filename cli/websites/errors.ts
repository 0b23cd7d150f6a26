import type { z } from 'zod';
import { expected, Failure } from '../../base/failure.ts';

/** The argument is neither a URL nor a folder. */
export const invalidSite = (received: string): Failure =>
  new Failure('invalid_parameter', expected('an address or an existing folder', 'the website', received));

/** The folder has no pages. */
export function noPages(folder: string): Failure {
  const sentence = expected('a folder with pages (.html)', 'the website', folder);
  return new Failure('invalid_parameter', `${sentence} To convert the images of a folder: imagecrew compress FOLDER.`);
}

/** The option cannot be used in this case. */
export const optionNotAllowed = (option: string, where: string): Failure =>
  new Failure('conflicting_parameters', `Expected no ${option} with ${where} but received one.`);

/** The output path exists already. */
export function outputTaken(path: string): Failure {
  const sentence = `Expected a new name or an empty folder for the package but ${path} is neither.`;
  return new Failure('invalid_state', `${sentence} Choose another place with -o, or say --overwrite.`);
}

/** The output cannot be written. */
export function outputFailed(path: string, cause: unknown): Failure {
  const code = cause instanceof Error && 'code' in cause ? ` (${String(cause.code)})` : '';
  return new Failure('delivery_failed', expected(`a place that can be written${code}`, 'the result', path), { cause });
}

/** The scan made no package. */
export const packageMissing = (): Failure =>
  new Failure('internal_error', 'Expected a package of the scan but there is none.');

/** No page was read, so the scan says nothing about the website. */
export const noPageRead = (reason: string): Failure =>
  new Failure('url_fetch_failed', `Expected a page that can be read but received none: ${reason}`);

/** The baseline file is invalid. */
export function invalidBaseline(path: string, received: string): Failure {
  const sentence = expected('a baseline that imagecrew scan --write-baseline has written', path, received);
  return new Failure('invalid_parameter', sentence);
}

/** The configuration file is invalid. */
export const invalidProjectConfig = (path: string, received: string): Failure =>
  new Failure('invalid_parameter', expected('a configuration', path, received));

/** Formats the first validation error with its path in the file. */
export function issueText({ issues: [issue] }: z.ZodError): string {
  const { path, message } = issue!;
  return path.length > 0 ? `${path.join('.')}: ${message}` : message;
}
