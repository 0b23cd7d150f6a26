/** Failures of outgoing requests. No message contains the resolved address or the query of a URL. */
import { Failure } from '../../base/failure.ts';
import type { Refusal } from './addresses.ts';
import { ConnectionRefused } from './connector.ts';

/** The parameter that holds the URL. */
export type AddressParam = 'url' | 'source' | 'deliver_to' | 'webhook_url' | `inputs[${number}].url`;

/** 400: not a URL. */
export function invalidUrl(param: AddressParam, longest: number): Failure {
  return new Failure(
    'invalid_url',
    `Expected an absolute http or https address of at most ${longest} characters for ${param} but received another text.`,
    { param },
  );
}

/** 400: a URL whose credentials could leak into logs and caches. */
export function credentialsNotAllowed(param: AddressParam): Failure {
  return new Failure(
    'url_not_allowed',
    `Expected an address without user name and password for ${param} but received one with them.`,
    { param },
  );
}

/** 400: an address that this service does not connect to. */
export function connectionNotAllowed(param: AddressParam, refusal: Refusal, cause?: unknown): Failure {
  const sentence = {
    address: `Expected the address of a public host for ${param} but received a private or reserved one.`,
    port: `Expected port 80, 443, 8080 or 8443 for ${param} but received another port.`,
    name: `Expected a host name with a domain, without a dot at its end, for ${param} but received another one.`,
    own: `Expected the address of another service for ${param} but received one of this service.`,
  }[refusal];
  return new Failure('url_not_allowed', sentence, { param, cause });
}

/** 422: the URL was called but did not return what was expected. */
export const urlFetchFailed = (received: string, cause?: unknown, wanted = 'an image'): Failure =>
  new Failure('url_fetch_failed', `Expected ${wanted} for url but received ${received}.`, {
    param: 'url',
    cause,
  });

/** 502: the caller's storage did not accept the result. */
export const deliveryFailed = (received: string, cause?: unknown): Failure =>
  new Failure('delivery_failed', `Expected a successful PUT for deliver_to but received ${received}.`, {
    param: 'deliver_to',
    cause,
  });

/** 502: the receiver of a webhook could not be reached or did not respond. */
export const postFailed = (received: string, cause?: unknown): Failure =>
  new Failure('delivery_failed', `Expected an answer to the POST for webhook_url but received ${received}.`, {
    param: 'webhook_url',
    cause,
  });

/**
 * Returns the failure for the error that ended a request.
 * @param received description for errors that are not a Failure, worded as an `AnswerFault`
 */
export function failureFor(
  error: unknown,
  param: AddressParam,
  received: string,
  failed: (received: string, cause: unknown) => Failure,
): Failure {
  if (error instanceof Failure) return error;
  if (error instanceof ConnectionRefused) return connectionNotAllowed(param, error.refusal, error);
  return failed(received, error);
}
