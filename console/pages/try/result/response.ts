/** Reads the response of an operation. */

export interface OperationResponse {
  /** The result file, or the JSON as received. */
  body: Blob;
  /** The file's name, from Content-Disposition. */
  name: string;
  /** Parsed JSON, if the operation returns JSON or the result was stored or delivered. */
  record: Readonly<Record<string, unknown>> | undefined;
  headers: readonly (readonly [name: string, value: string])[];
  facts: ResultFacts;
}

/** ResultFacts from the response headers. Undefined if the header is missing. */
export interface ResultFacts {
  originalBytes: number | undefined;
  bytes: number | undefined;
  width: number | undefined;
  height: number | undefined;
  format: string | undefined;
  outcome: string | undefined;
  warnings: readonly string[];
  durationMs: number | undefined;
  similarity: number | undefined;
  fingerprint: string | undefined;
  faces: number | undefined;
  frames: number | undefined;
}

export async function readResponse(response: Response): Promise<OperationResponse> {
  const body = await response.blob();
  const isRecord = response.headers.get('Content-Type')?.startsWith('application/json') === true;
  return {
    body,
    name: fileNameOf(response.headers.get('Content-Disposition')) ?? 'result',
    record: isRecord ? JSON.parse(await body.text()) : undefined,
    headers: [...response.headers],
    facts: readFacts(response.headers),
  };
}

function readFacts(headers: Headers): ResultFacts {
  const text = (name: string) => headers.get(name) ?? undefined;
  const number = (name: string) => (headers.has(name) ? Number(headers.get(name)) : undefined);
  return {
    originalBytes: number('X-IC-Original-Bytes'),
    bytes: number('X-IC-Bytes'),
    width: number('X-IC-Width'),
    height: number('X-IC-Height'),
    format: text('X-IC-Format'),
    outcome: text('X-IC-Outcome'),
    warnings: text('X-IC-Warnings')?.split(',') ?? [],
    durationMs: number('X-IC-Duration-Ms'),
    similarity: number('X-IC-Similarity'),
    fingerprint: text('X-IC-Fingerprint'),
    faces: number('X-IC-Faces'),
    frames: number('X-IC-Frames'),
  };
}

/** The UTF-8 name `filename*` takes precedence over `filename` (RFC 6266). */
export function fileNameOf(disposition: string | null): string | undefined {
  const extended = /filename\*=UTF-8''([^;]+)/i.exec(disposition ?? '')?.[1];
  if (extended !== undefined) return decodeURIComponent(extended);
  return /filename="((?:[^"\\]|\\.)*)"/i.exec(disposition ?? '')?.[1]?.replace(/\\(.)/g, '$1');
}
