import type { z } from 'zod';
import { expected, Failure } from '../../../base/failure.ts';

/** Neither an address nor a folder. */
export function notASite(received: string): Failure {
  return new Failure('invalid_parameter', expected('an address or an existing folder', 'the website', received));
}

/** Nothing of the folder is a page. */
export function noPages(folder: string): Failure {
  const sentence = expected('a folder with pages (.html)', 'the website', folder);
  return new Failure('invalid_parameter', `${sentence} To convert the images of a folder: imagecrew compress FOLDER.`);
}

/** An option that goes with something else. */
export function optionNotAllowed(option: string, where: string): Failure {
  return new Failure('conflicting_parameters', `Expected no ${option} with ${where} but received one.`);
}

/** What would be written over. */
export function outputTaken(path: string): Failure {
  const sentence = `Expected a new name or an empty folder for the package but ${path} is neither.`;
  return new Failure('invalid_state', `${sentence} Choose another place with -o, or say --overwrite.`);
}

/** What cannot be written where it should be. */
export function outputFailed(path: string, cause: unknown): Failure {
  const code = cause instanceof Error && 'code' in cause ? ` (${String(cause.code)})` : '';
  return new Failure('delivery_failed', expected(`a place that can be written${code}`, 'the result', path), { cause });
}

/** The scan has come to no package. */
export function packageMissing(): Failure {
  return new Failure('internal_error', 'Expected a package of the scan but there is none.');
}

/** Nothing was read: what was found says nothing of the website. */
export function nothingRead(reason: string): Failure {
  return new Failure('url_fetch_failed', `Expected a page that can be read but received none: ${reason}`);
}

/** A baseline that is none. */
export function baselineFault(path: string, received: string): Failure {
  const sentence = expected('a baseline that imagecrew scan --write-baseline has written', path, received);
  return new Failure('invalid_parameter', sentence);
}

/** A configuration of a project that is none. */
export function projectConfigFault(path: string, received: string): Failure {
  return new Failure('invalid_parameter', expected('a configuration', path, received));
}

/** Where a file says what it may not, and what is wrong there. */
export function issueText({ issues: [issue] }: z.ZodError): string {
  const { path, message } = issue!;
  return path.length > 0 ? `${path.join('.')}: ${message}` : message;
}
