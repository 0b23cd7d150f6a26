/** How a call fails. */
import type { ErrorCode } from './types.generated.ts';

/** The service has refused a request, or failed at it. */
export class ImagecrewError extends Error {
  override readonly name = 'ImagecrewError';
  /** For programs: `invalid_parameter`, `quota_exceeded` and so on; codes may be added. `http_502` is of a proxy. */
  readonly code: ErrorCode | (string & {});
  /** Of HTTP. */
  readonly status: number;
  /** The parameter, field or part at fault. */
  readonly param: string | undefined;
  /** To name to the operator of the service. */
  readonly requestId: string | undefined;
  /** Seconds after which trying again makes sense. */
  readonly retryAfter: number | undefined;

  constructor(message: string, facts: Omit<ImagecrewError, keyof Error>) {
    super(message);
    this.code = facts.code;
    this.status = facts.status;
    this.param = facts.param;
    this.requestId = facts.requestId;
    this.retryAfter = facts.retryAfter;
  }
}

/** Reads the error object of an answer; a proxy between may have answered in its own way. */
export async function errorOf(response: Response): Promise<ImagecrewError> {
  const { status, headers } = response;
  const text = await response.text().catch(() => '');
  const { code, message, param, request_id } = errorObject(text);
  return new ImagecrewError(message ?? `The service answered with status ${status}.`, {
    code: code ?? `http_${status}`,
    status,
    param,
    requestId: request_id ?? headers.get('X-Request-Id') ?? undefined,
    retryAfter: secondsOf(headers.get('Retry-After')),
  });
}

type ErrorObject = Partial<Record<'code' | 'message' | 'param' | 'request_id', string>>;

function errorObject(text: string): ErrorObject {
  try {
    return (JSON.parse(text) as { error?: ErrorObject } | null)?.error ?? {};
  } catch {
    return {};
  }
}

/** RFC 9110, section 10.2.3: seconds, or a date. */
function secondsOf(retryAfter: string | null): number | undefined {
  if (retryAfter === null) return undefined;
  const seconds = /^\d+$/.test(retryAfter) ? Number(retryAfter) : (Date.parse(retryAfter) - Date.now()) / 1000;
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds);
}
