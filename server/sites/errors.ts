import { expected, Failure } from '../../base/failure.ts';
import type { ScanStatus } from '../../storage/records/site-scans.ts';
import { MAX_URL_LENGTH } from '../http/web-address.ts';
import type { Action } from './states.ts';

/** 404: there is no such scan in this account. */
export const scanNotFound = (id: string): Failure =>
  new Failure('not_found', expected('the id of a scan', 'id', id), { param: 'id' });

/** 404: there is no such project in this account. */
export const projectNotFound = (id: string): Failure =>
  new Failure('not_found', expected('the id of a project', 'project_id', id), { param: 'project_id' });

/** 404: the scan has no such page, image or file. */
export const partNotFound = (what: string, param: string, received: unknown): Failure =>
  new Failure('not_found', expected(what, param, received), { param });

/** 409: the action is not allowed in the scan's present status. */
export function wrongState(action: Action, status: ScanStatus): Failure {
  return new Failure(
    'invalid_state',
    `Expected another action for a scan that is ${status} but received "${action}".`,
    {
      param: 'action',
    },
  );
}

/** 409: no unscanned page is ticked, so there is nothing to start. */
export function noPageSelected(): Failure {
  return new Failure(
    'invalid_state',
    'Expected a page that is ticked and has not been scanned for action but received "start" with none.',
    { param: 'action' },
  );
}

/** 409: the scan has no optimized image to put into a package. */
export function nothingOptimized(): Failure {
  return new Failure(
    'invalid_state',
    'Expected an image that is optimized for action but received "package" for a scan with none.',
    { param: 'action' },
  );
}

/** 410: the files of the scan have been deleted. */
export const scanExpired = (): Failure =>
  new Failure('expired', 'Expected a scan whose files are still kept but received one that has expired.');

/** 413: the list of addresses has too many bytes. */
export function listTooLarge(mostBytes: number): Failure {
  return new Failure(
    'list_too_large',
    `Expected at most ${mostBytes.toLocaleString('en')} bytes for urls but received more.`,
    { param: 'urls' },
  );
}

/** 413: the list has too many addresses. */
export function tooManyAddresses(most: number): Failure {
  return new Failure(
    'list_too_large',
    `Expected at most ${most.toLocaleString('en')} addresses for urls but received more.`,
    { param: 'urls' },
  );
}

/** 400: this line of the list is not an http or https address. */
export function invalidLine(line: number): Failure {
  return new Failure(
    'invalid_url',
    `Expected an http or https address of at most ${MAX_URL_LENGTH} characters in each line for urls but received another text in line ${line}.`,
    { param: 'urls' },
  );
}

/** 400: two fields cannot be used together. */
export const conflicting = (param: string, what: string): Failure =>
  new Failure('conflicting_parameters', `Expected no ${param} ${what} but received one.`, { param });

/** 422: the address is on another website than the project's. */
export const domainMismatch = (domain: string, received: string): Failure =>
  new Failure('domain_mismatch', expected(`an address of ${domain}, as the project has it,`, 'url', received), {
    param: 'url',
  });

/** 403: the plan allows no further website. */
export function tooManyWebsites(most: number, held: readonly string[]): Failure {
  return new Failure(
    'upgrade_required',
    `Expected at most ${most} ${most === 1 ? 'website' : 'websites'} for this account but received one beside ${held.join(', ')}.`,
    {
      param: 'url',
      hint: 'Delete the project of a website that you no longer need, or ask the operator for a higher plan.',
    },
  );
}

/** 403: no package of this name has pages left. */
export const packageUsedUp = (name: string): Failure =>
  new Failure('upgrade_required', expected('a package with pages left', 'package', name), {
    param: 'package',
    hint: 'GET /api/v1/sites/tiers lists your packages; the operator of the service grants others.',
  });

/** Scans take minutes. */
const RETRY_SECONDS = 60;

/** 429: the account has reached its limit of waiting scans. */
export function tooManyScans(most: number): Failure {
  return new Failure(
    'too_many_jobs',
    `Expected at most ${most} waiting scans for this account but received one more.`,
    {
      retryAfter: RETRY_SECONDS,
    },
  );
}
