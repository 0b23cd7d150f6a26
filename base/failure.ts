/**
 * The only error class of the project. Everything that reaches a client, a log line or a job record is a `Failure`: a
 * stable code, its HTTP status and a sentence for people. Any other thrown value is a bug and is answered as
 * `internal_error`.
 */

/** Error codes of HTTP responses with their status (docs/spec/shapes.md, section 4). */
export const HTTP_STATUS_BY_CODE = {
  invalid_request: 400,
  missing_image: 400,
  invalid_parameter: 400,
  conflicting_parameters: 400,
  invalid_url: 400,
  invalid_pipeline: 400,
  too_many_images: 400,
  url_not_allowed: 400,
  missing_key: 401,
  invalid_key: 401,
  invalid_signature: 403,
  upgrade_required: 403,
  scope_required: 403,
  test_key_not_allowed: 403,
  not_found: 404,
  preset_not_found: 404,
  method_not_allowed: 405,
  upload_timeout: 408,
  invalid_state: 409,
  name_reserved: 409,
  idempotency_in_progress: 409,
  expired: 410,
  file_too_large: 413,
  list_too_large: 413,
  image_too_large: 413,
  unsupported_media_type: 415,
  unsupported_format: 415,
  corrupt_image: 422,
  page_out_of_range: 422,
  password_protected: 422,
  unsupported_output: 422,
  no_subject: 422,
  invalid_mask: 422,
  idempotency_key_reused: 422,
  url_fetch_failed: 422,
  domain_mismatch: 422,
  rate_limited: 429,
  too_many_jobs: 429,
  quota_exceeded: 429,
  key_limit_exceeded: 429,
  test_limit_exceeded: 429,
  internal_error: 500,
  interrupted: 500,
  delivery_failed: 502,
  overloaded: 503,
  model_unavailable: 503,
  shutting_down: 503,
  processing_timeout: 504,
  storage_full: 507,
} as const satisfies Record<string, number>;

/**
 * Codes that only the local MCP server uses (section 18.9). No HTTP response carries them; the status is what it would
 * be.
 */
const LOCAL_STATUS_BY_CODE = {
  package_not_found: 404,
  package_invalid: 422,
  package_hash_mismatch: 422,
  plan_not_found: 404,
  plan_already_applied: 409,
  backup_not_found: 404,
  approval_required: 403,
  file_changed: 409,
  path_outside_root: 403,
  nothing_to_do: 409,
  write_failed: 500,
} as const satisfies Record<string, number>;

/** Every error code with its HTTP status. */
export const STATUS_BY_CODE = { ...HTTP_STATUS_BY_CODE, ...LOCAL_STATUS_BY_CODE };

export type ErrorCode = keyof typeof STATUS_BY_CODE;

export interface FailureDetails {
  /** The parameter, field or part at fault, as the client spelled it. */
  param?: string;
  /** The next step, where more is known about it than the error code says (see hints.ts). */
  hint?: string;
  /** Seconds after which a retry makes sense; sent as `Retry-After`. */
  retryAfter?: number;
  /** The underlying error, for the log only. Never shown to a client. */
  cause?: unknown;
}

/** A failure in the form that crosses the thread boundary. Structured clone keeps plain objects but not classes. */
export interface FailureRecord {
  code: ErrorCode;
  message: string;
  param?: string;
  hint?: string;
  retryAfter?: number;
}

export class Failure extends Error {
  override readonly name = 'Failure';
  readonly code: ErrorCode;
  readonly status: number;
  readonly param: string | undefined;
  readonly hint: string | undefined;
  readonly retryAfter: number | undefined;

  constructor(code: ErrorCode, message: string, details: FailureDetails = {}) {
    super(message, { cause: details.cause });
    this.code = code;
    this.status = STATUS_BY_CODE[code];
    this.param = details.param === undefined ? undefined : shortened(details.param, MAX_PARAM_CHARACTERS);
    this.hint = details.hint;
    this.retryAfter = details.retryAfter;
  }

  toRecord(): FailureRecord {
    return {
      code: this.code,
      message: this.message,
      ...(this.param === undefined ? {} : { param: this.param }),
      ...(this.hint === undefined ? {} : { hint: this.hint }),
      ...(this.retryAfter === undefined ? {} : { retryAfter: this.retryAfter }),
    };
  }

  static fromRecord({ code, message, ...details }: FailureRecord): Failure {
    return new Failure(code, message, details);
  }
}

/** The message of a failure and, if it has one of its own, its hint. */
export const withHint = ({ message, hint }: Pick<Failure, 'message' | 'hint'>): string =>
  hint === undefined ? message : `${message} ${hint}`;

/** Maximum length of a parameter name in a message. All names that the API declares are shorter. */
const MAX_PARAM_CHARACTERS = 100;
const MAX_ECHO_CHARACTERS = 60;

const shortened = (text: string, maxCharacters: number): string =>
  text.length > maxCharacters ? `${text.slice(0, maxCharacters)}…` : text;

/** Formats a received value for the client that sent it: short, printable, and quoted if it is text. */
function shown(received: unknown): string {
  if (received === undefined) return 'nothing';
  if (typeof received === 'number' || typeof received === 'boolean' || received === null) return String(received);
  // Shorten first: escaping megabytes takes seconds.
  const text = shortened(typeof received === 'string' ? received : jsonStart(received), MAX_ECHO_CHARACTERS);
  const printable = text.replace(/[^\x20-\x7e\u00a0-\uffff]/g, '?');
  return typeof received === 'string' ? `"${printable}"` : printable;
}

/** The beginning of the output of JSON.stringify. Does not read the rest of a large value. */
function jsonStart(value: unknown, maxCharacters = MAX_ECHO_CHARACTERS + 1): string {
  if (maxCharacters <= 0) return '';
  if (typeof value === 'string') return JSON.stringify(value.slice(0, maxCharacters));
  if (typeof value !== 'object' || value === null) return String(value);
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  const parts: string[] = [];
  let left = maxCharacters - open!.length;
  for (const key in value) {
    if (left <= 0) break;
    const name = Array.isArray(value) ? '' : `${JSON.stringify(key.slice(0, left))}:`;
    const part = name + jsonStart((value as Record<string, unknown>)[key], left - name.length);
    left -= part.length + 1;
    parts.push(part);
  }
  return `${open}${parts.join()}${close}`;
}

/** The standard sentence: "Expected an integer from 1 to 100 for quality but received "abc"." */
export const expected = (what: string, param: string, received: unknown): string =>
  `Expected ${what} for ${shortened(param, MAX_PARAM_CHARACTERS)} but received ${shown(received)}.`;

const RECEIVED = ' but received ';

/** The same failure with a message that names where it happened. @param place such as `in step 2 (crop)` */
export function failureAt(place: string, failure: Failure, param = failure.param): Failure {
  const { code, message, hint, retryAfter, cause } = failure;
  return new Failure(code, message.replace(RECEIVED, ` ${place}${RECEIVED}`), {
    ...(param === undefined ? {} : { param }),
    ...(hint === undefined ? {} : { hint }),
    ...(retryAfter === undefined ? {} : { retryAfter }),
    cause: cause ?? failure,
  });
}

/** 400 `invalid_parameter` with the standard sentence. */
export const invalidParameter = (what: string, param: string, received: unknown): Failure =>
  new Failure('invalid_parameter', expected(what, param, received), { param });

/** 404: there is none, or it belongs to another account. @param thing such as `a job` */
export const notFound = (thing: string, id: string, param = 'id'): Failure =>
  new Failure('not_found', expected(`the id of ${thing}`, param, id), { param });

/** 500: an error that is not a Failure. The cause is for the log. */
export function internalError(cause: unknown): Failure {
  return new Failure(
    'internal_error',
    'Expected to answer this request but received an unexpected error of our own. It has been logged.',
    { cause },
  );
}
