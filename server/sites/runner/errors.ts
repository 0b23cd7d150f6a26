import { expected, Failure } from '../../../base/failure.ts';
import { urlFetchFailed } from '../../http/outgoing-errors.ts';

/** The scan has left the phase that is worked on: somebody has cancelled or deleted it. Nothing more may be kept. */
export class ScanLeft extends Error {
  override readonly name = 'ScanLeft';
}

/** 422: a page, a style sheet or an image answered something else. */
export function answeredOtherwise(wanted: string, received: string): Failure {
  return urlFetchFailed(received, undefined, wanted);
}

/** 422: the start address belongs to another website. */
export function ledElsewhere(host: string): Failure {
  return urlFetchFailed(`a redirect to ${host}`, undefined, 'a page of the same website');
}

/** 422: nothing of the list can be scanned. */
export function emptyList(): Failure {
  return urlFetchFailed('none', undefined, 'a list with an address of http or https');
}

/** 415: the bytes are no image that browsers show. */
export function noImage(contentType: string | undefined): Failure {
  return new Failure('unsupported_format', expected('an image', 'url', contentType ?? 'other content'), {
    param: 'url',
  });
}

/** Of a scan: what it has to do may be what ends the process. */
export function stoppedTooOften(times: number): Failure {
  const message = `The service stopped ${times} times while it worked on this scan, which came no further in between.`;
  return new Failure('internal_error', message);
}

/** Of a scan: its owner may not use the service any more. */
export function ownerDisabled(): Failure {
  return new Failure('invalid_key', 'Expected an account that is not disabled but received a scan of one that is.');
}
