import { expected, Failure } from '../../../base/failure.ts';
import { urlFetchFailed } from '../../http/outgoing-errors.ts';

/** The scan has left this phase because it was cancelled or deleted. Nothing more may be stored. */
export class ScanPhaseChanged extends Error {
  override readonly name = 'ScanLeft';
}

/** 422: the response is not the expected page, style sheet or image. */
export function unexpectedResponse(wanted: string, received: string): Failure {
  return urlFetchFailed(received, undefined, wanted);
}

/** 422: the start address redirects to another website. */
export function redirectedToOtherSite(host: string): Failure {
  return urlFetchFailed(`a redirect to ${host}`, undefined, 'a page of the same website');
}

/** 422: no address of the list can be scanned. */
export function emptyList(): Failure {
  return urlFetchFailed('none', undefined, 'a list with an address of http or https');
}

/** 415: the bytes are not an image that browsers display. */
export function noImage(contentType: string | undefined): Failure {
  return new Failure('unsupported_format', expected('an image', 'url', contentType ?? 'other content'), {
    param: 'url',
  });
}

/** Fails a scan that may itself be the reason why the process ends. */
export function stoppedTooOften(times: number): Failure {
  const message = `The service stopped ${times} times while it worked on this scan, which came no further in between.`;
  return new Failure('internal_error', message);
}

/** Fails a scan whose owner's account is disabled. */
export function ownerDisabled(): Failure {
  return new Failure('invalid_key', 'Expected an account that is not disabled but received a scan of one that is.');
}
