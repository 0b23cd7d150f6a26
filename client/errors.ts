/** The errors of calls. */
import type { ErrorCode } from './types.generated.ts';

/** The service refused a request, or failed to process it. */
export class ImagecrewError extends Error {
  override readonly name = 'ImagecrewError';
  /**
   * For programs: `invalid_parameter`, `quota_exceeded` and so on. Codes may be added. `http_502` comes from a proxy.
   */
  readonly code: ErrorCode | (string & {});
  /** HTTP status. */
  readonly status: number;
  /** What to do next, for people. Undefined if a proxy sent the response. */
  readonly hint: string | undefined;
  /** The parameter, field or part that is wrong. */
  readonly param: string | undefined;
  /** Quote it when you ask the operator of the service for help. */
  readonly requestId: string | undefined;
  /** Seconds after which a retry makes sense. */
  readonly retryAfter: number | undefined;

  constructor(message: string, facts: Omit<ImagecrewError, keyof Error>) {
    super(message);
    this.code = facts.code;
    this.status = facts.status;
    this.hint = facts.hint;
    this.param = facts.param;
    this.requestId = facts.requestId;
    this.retryAfter = facts.retryAfter;
  }
}

/** Reads the error object of a response. A proxy in between may have sent its own response instead. */
export async function errorOf(response: Response): Promise<ImagecrewError> {
  const { status, headers } = response;
  const text = await response.text().catch(() => '');
  const { code, message, hint, param, request_id } = errorObject(text);
  return new ImagecrewError(message ?? `The service answered with status ${status}.`, {
    code: code ?? `http_${status}`,
    status,
    hint,
    param,
    requestId: request_id ?? headers.get('X-Request-Id') ?? undefined,
    retryAfter: secondsOf(headers.get('Retry-After')),
  });
}

type ErrorObject = Partial<Record<'code' | 'message' | 'hint' | 'param' | 'request_id', string>>;

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
