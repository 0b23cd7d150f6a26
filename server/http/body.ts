/**
 * Reads the request of an operation on one image: the image,
 * further files and parameters, in any of the three body formats.
 */
import type { SourceFile } from '../../engine/task.ts';
import { bodyHead, type Incoming, readBytes, sendContinue } from './body-bytes.ts';
import { fileTooLarge } from './errors.ts';
import { JSON_TYPE, readJsonObject } from './json-body.ts';
import type { JsonLimits } from './json-reader.ts';
import { type MultipartLimits, readMultipart } from './multipart.ts';
import type { MemoryReservation } from './uploads.ts';

export interface BodyLimits extends MultipartLimits {
  /** Limits of a JSON body that differ from the defaults. */
  json?: JsonLimits;
}

export type Body =
  | { kind: 'raw'; image: SourceFile }
  | { kind: 'multipart'; files: ReadonlyMap<string, SourceFile>; texts: readonly (readonly [string, string])[] }
  | { kind: 'json'; values: Readonly<Record<string, unknown>> };

const MULTIPART_TYPE = 'multipart/form-data';

/** Whether a body can hold parameters in addition to the image. @throws Failure 415 for a compressed body */
export function canHaveParameters(incoming: Incoming): boolean {
  const { type } = bodyHead(incoming);
  return type === MULTIPART_TYPE || type === JSON_TYPE;
}

/** Maximum size of what multipart adds to the files: headers and text parts. */
const MULTIPART_OVERHEAD_BYTES = 1024 * 1024;

/**
 * Reads the body directly into its own memory, as {@link readBytes} does.
 * @param fileParts names of the file parts that a multipart body may have
 * @param room counts the memory used
 * @throws Failure 400, 408, 413, 415 or 503
 */
export async function readBody(
  { req, res }: Incoming,
  fileParts: readonly string[],
  room: MemoryReservation,
  limits: BodyLimits,
): Promise<Body> {
  const { fileBytes, timeoutSeconds, json } = limits;
  const incoming = { req, res };
  const head = bodyHead(incoming);
  const { type, announced } = head;
  const tooLarge = () => fileTooLarge(fileBytes);

  if (type === MULTIPART_TYPE) {
    const most = fileBytes * fileParts.length + MULTIPART_OVERHEAD_BYTES;
    if (announced !== undefined && announced > most) throw tooLarge();
    sendContinue(incoming);
    return { kind: 'multipart', ...(await readMultipart(req, fileParts, room, most, limits)) };
  }
  if (type === JSON_TYPE) {
    const { values } = await readJsonObject(incoming, head, room, timeoutSeconds, json);
    return { kind: 'json', values };
  }
  const data = await readBytes(incoming, head, room, { mostBytes: fileBytes, timeoutSeconds, tooLarge });
  return { kind: 'raw', image: { data } };
}
