/** What an operation on one image is sent: the image with its companions and parameters, in any of the three body shapes. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Writable } from 'node:stream';
import type { SourceFile } from '../../engine/task.ts';
import { pipeBody } from './body-stream.ts';
import { ByteCollector } from './byte-collector.ts';
import { fileTooLarge, invalidRequest, unsupportedEncoding } from './errors.ts';
import { readMultipart } from './multipart.ts';
import type { UploadRoom } from './uploads.ts';

export interface BodyLimits {
  /** Largest file, in bytes. */
  fileBytes: number;
  /** Seconds in which the body must have arrived. */
  timeoutSeconds: number;
}

export type Body =
  | { kind: 'raw'; image: SourceFile }
  | { kind: 'multipart'; files: ReadonlyMap<string, SourceFile>; texts: readonly (readonly [string, string])[] }
  | { kind: 'json'; values: Readonly<Record<string, unknown>> };

/** A JSON body holds an address and parameters, never an image. */
const JSON_BYTES = 64 * 1024;

/** What multipart adds around its parts, at most: headers and text parts. */
const MULTIPART_OVERHEAD_BYTES = 1024 * 1024;

/**
 * Reads the body, straight into memory of its own. A body that announces too much is refused before it is read, any
 * other as soon as it passes the limit. Room is taken for what has arrived, never for what is announced: otherwise a few
 * connections that announce much and send nothing would lock everybody out.
 * @param fileParts names of the file parts that a multipart body may have
 * @param room where the memory is accounted for
 * @throws Failure 400, 408, 413, 415 or 503
 */
export async function readBody(
  { req, res }: { req: IncomingMessage; res: ServerResponse },
  fileParts: readonly string[],
  room: UploadRoom,
  limits: BodyLimits,
): Promise<Body> {
  const encoding = req.headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity') throw unsupportedEncoding(encoding);
  const type = (req.headers['content-type'] ?? '').split(';')[0]!.trim().toLowerCase();
  const announced = req.headers['content-length'] === undefined ? undefined : Number(req.headers['content-length']);

  if (type === 'multipart/form-data') {
    const most = limits.fileBytes * fileParts.length + MULTIPART_OVERHEAD_BYTES;
    if (announced !== undefined && announced > most) throw fileTooLarge(limits.fileBytes);
    proceed(req, res);
    return { kind: 'multipart', ...(await readMultipart(req, fileParts, room, limits)) };
  }
  if (type === 'application/json') {
    const data = await readBytes(req, res, room, { ...limits, fileBytes: JSON_BYTES }, announced, tooMuchJson);
    return { kind: 'json', values: parseObject(data) };
  }
  const data = await readBytes(req, res, room, limits, announced, () => fileTooLarge(limits.fileBytes));
  return { kind: 'raw', image: { data } };
}

/** A client that asked for leave before sending a large body gets it now, when its headers have passed. */
function proceed(req: IncomingMessage, res: ServerResponse): void {
  if (req.headers.expect?.toLowerCase() === '100-continue') res.writeContinue();
}

async function readBytes(
  req: IncomingMessage,
  res: ServerResponse,
  room: UploadRoom,
  { fileBytes, timeoutSeconds }: BodyLimits,
  announced: number | undefined,
  tooLarge: () => Error,
): Promise<ArrayBuffer> {
  if (announced !== undefined && announced > fileBytes) throw tooLarge();
  const collector = new ByteCollector(announced);
  const sink = new Writable({
    write(chunk: Buffer, _encoding, done) {
      try {
        if (collector.length + chunk.length > fileBytes) throw tooLarge();
        room.reserve(collector.length + chunk.length);
        collector.push(chunk);
        done();
      } catch (error) {
        done(error as Error);
      }
    },
  });
  proceed(req, res);
  await pipeBody(req, sink, timeoutSeconds);
  return collector.finish();
}

const tooMuchJson = () => invalidRequest(`at most ${JSON_BYTES} bytes of JSON`, 'the body', 'more');

function parseObject(data: ArrayBuffer): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(data));
  } catch (error) {
    throw invalidRequest('valid JSON', 'the body', 'something else', error);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalidRequest('a JSON object', 'the body', 'another value');
  return value as Record<string, unknown>;
}
