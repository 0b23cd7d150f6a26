/**
 * Responds to bytes that are not valid HTTP. The application never sees them; the client gets the usual error object.
 */
import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Failure } from '../../base/failure.ts';
import { newId } from '../../base/id.ts';
import { invalidRequest, uploadTimeout } from './errors.ts';
import { errorObject } from './failures.ts';
import { REQUEST_ID_HEADER } from './request-id.ts';
import { PERMISSIONS_POLICY } from './security-headers.ts';

/**
 * Creates the listener for `clientError`.
 * @param answerOn returns the response being prepared or written on a connection, if any
 */
export function answerMalformed(answerOn: (socket: Duplex) => ServerResponse | undefined) {
  return (error: NodeJS.ErrnoException, socket: Duplex): void => {
    // In the middle of another response, the client would read these bytes as a part of it.
    const begun = answerOn(socket)?.headersSent ?? false;
    if (error.code === 'ECONNRESET' || !socket.writable || begun) {
      socket.destroy();
      return;
    }
    socket.end(answerText(failureFor(error)), () => socket.destroy());
  };
}

function failureFor(error: NodeJS.ErrnoException): Failure {
  switch (error.code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return uploadTimeout();
    case 'HPE_HEADER_OVERFLOW':
      return invalidRequest('shorter headers', 'the request', 'too many bytes of them', error);
    default:
      return invalidRequest('well-formed HTTP/1.1', 'the request', 'something else', error);
  }
}

function answerText(failure: Failure): string {
  const requestId = newId('req');
  const body = JSON.stringify(errorObject(failure, requestId));
  return [
    `HTTP/1.1 ${failure.status} ${failure.status === 408 ? 'Request Timeout' : 'Bad Request'}`,
    `${REQUEST_ID_HEADER}: ${requestId}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'X-Content-Type-Options: nosniff',
    `Permissions-Policy: ${PERMISSIONS_POLICY}`,
    'Cache-Control: no-store',
    'Connection: close',
    '',
    body,
  ].join('\r\n');
}
