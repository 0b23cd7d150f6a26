import { expected, Failure } from '../../../base/failure.ts';
import { urlFetchFailed } from '../../http/outgoing-errors.ts';

/** The scan has left this phase because it was cancelled or deleted. Nothing more may be stored. */
export class ScanPhaseChanged extends Error {
  override readonly name = 'ScanLeft';
}

/** 422: the response is not the expected page, style sheet or image. */
export const unexpectedResponse = (wanted: string, received: string): Failure =>
  urlFetchFailed(received, undefined, wanted);

/** 422: the start address redirects to another website. */
export const redirectedToOtherSite = (host: string): Failure =>
  urlFetchFailed(`a redirect to ${host}`, undefined, 'a page of the same website');

/** 422: no address of the list can be scanned. */
export const emptyList = (): Failure => urlFetchFailed('none', undefined, 'a list with an address of http or https');

/** 415: the bytes are not an image that browsers display. */
export const noImage = (contentType: string | undefined): Failure =>
  new Failure('unsupported_format', expected('an image', 'url', contentType ?? 'other content'), {
    param: 'url',
  });

/** Fails a scan that may itself be the reason why the process ends. */
export function stoppedTooOften(times: number): Failure {
  const message = `The service stopped ${times} times while it worked on this scan, which came no further in between.`;
  return new Failure('internal_error', message);
}

/** Fails a scan whose owner's account is disabled. */
export const ownerDisabled = (): Failure =>
  new Failure('invalid_key', 'Expected an account that is not disabled but received a scan of one that is.');
