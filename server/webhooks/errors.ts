/** Failures of webhooks. Messages contain no more of a URL than its protocol. */
import { Failure } from '../../base/failure.ts';

const PARAM = 'webhook_url';

/** 400: over http the message could be read on the way. */
export const httpNotAllowed = (): Failure =>
  new Failure('url_not_allowed', `Expected an https address for ${PARAM} but received an http address.`, {
    param: PARAM,
  });

/** The receiver responded but did not accept the message. Only shown in the record of the attempt. */
export function statusNotTaken(status: number): Failure {
  const received = status >= 300 && status < 400 ? `${status}, a redirect, which is not followed` : `${status}`;
  return new Failure(
    'delivery_failed',
    `Expected a status from 200 to 299 for the POST to ${PARAM} but received ${received}.`,
    { param: PARAM },
  );
}

/** 409: the job has no webhook to send again. */
export const jobWithoutWebhook = (): Failure =>
  new Failure('invalid_state', `Expected a job with a ${PARAM} for id but received one without it.`, {
    param: 'id',
  });

/** 409: the webhook is sent when the job ends. */
export function jobNotEnded(status: string): Failure {
  return new Failure(
    'invalid_state',
    `Expected a job with the status done, failed or cancelled for id but received one that is ${status}.`,
    { param: 'id' },
  );
}

/** 503: the account's other webhooks use all slots for this receiver. */
export function receiverBusy(): Failure {
  return new Failure(
    'overloaded',
    `Expected a receiver that has answered earlier webhooks for ${PARAM} but received one that still has some to answer.`,
    { retryAfter: 5, param: PARAM },
  );
}
