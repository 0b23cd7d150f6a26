/** multipart/form-data (RFC 7578), parsed while it streams: files to memory, everything else to text. */
import type { IncomingMessage } from 'node:http';
import { Busboy } from '@fastify/busboy';
import { expected, Failure, invalidParameter } from '../../base/failure.ts';
import type { SourceFile } from '../../engine/task.ts';
import { pipeBody } from './body-stream.ts';
import { ByteCollector } from './byte-collector.ts';
import { fileTooLarge, invalidRequest } from './errors.ts';
import type { UploadRoom } from './uploads.ts';

export interface MultipartLimits {
  /** Largest file of one part, in bytes. */
  fileBytes: number;
  /** Seconds in which the whole body must have arrived. */
  timeoutSeconds: number;
  /** Text parts that may be longer than others and come once: the most bytes of each, by name. */
  longTexts?: ReadonlyMap<string, number>;
}

export interface Multipart {
  files: ReadonlyMap<string, SourceFile>;
  texts: readonly (readonly [string, string])[];
}

/** More text parts than any operation has parameters. */
const MOST_TEXTS = 128;
/** Longest text part, in bytes: an address of 2048 characters, percent-encoded or not, fits. */
const LONGEST_TEXT = 8192;
const PART_HEADER_BYTES = 8192;
const PART_HEADERS = 16;

/** A part may have 9 bytes: a chunk of 64 KiB has thousands of parts, which hold the event loop for 0.1 s. */
const SLICE_BYTES = 16 * 1024;

/** Reads a chunk in slices, and no further when it has been destroyed, by a limit that was passed. */
class MultipartParser extends Busboy {
  override _write(chunk: Buffer, encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    const [slice, rest] = [chunk.subarray(0, SLICE_BYTES), chunk.subarray(SLICE_BYTES)];
    super._write(slice, encoding, (error) => {
      if (error || rest.length === 0 || this.destroyed) done(error);
      else this._write(rest, encoding, done);
    });
  }
}

/**
 * Reads a multipart body.
 * @param fileParts names of the parts that are files, whatever type they say they have
 * @throws Failure 400 for a body that is malformed, a part that is unknown, sent twice or too long; 413 `file_too_large`
 */
export async function readMultipart(
  req: IncomingMessage,
  fileParts: readonly string[],
  room: UploadRoom,
  limits: MultipartLimits,
): Promise<Multipart> {
  const files = new Map<string, SourceFile>();
  const texts: [string, string][] = [];
  const { longTexts = new Map<string, number>() } = limits;
  const parser = createParser(req, fileParts, Math.max(LONGEST_TEXT, ...longTexts.values()));
  let held = 0;
  // A listener must not throw: the parser would take it for a fault of its own, or lose it.
  const guard = (work: () => void) => {
    try {
      work();
    } catch (error) {
      parser.destroy(error as Error);
    }
  };

  parser.on('file', (name, stream, filename) => {
    const collector = new ByteCollector();
    const started = files.has(name);
    files.set(name, { data: new ArrayBuffer(0) });
    stream.on('data', (chunk: Buffer) =>
      guard(() => {
        if (collector.length + chunk.length > limits.fileBytes) throw fileTooLarge(limits.fileBytes, name);
        held += chunk.length;
        room.reserve(held);
        collector.push(chunk);
      }),
    );
    stream.on('end', () => files.set(name, { data: collector.finish(), ...(filename ? { filename } : {}) }));
    // The parser reports the same fault itself.
    stream.on('error', () => {});
    guard(() => {
      if (!fileParts.includes(name)) throw unknownFile(name, fileParts);
      if (started) throw repeatedPart(name);
    });
  });
  parser.on('field', (name, value, nameTruncated, valueTruncated) =>
    guard(() => {
      const most = longTexts.get(name) ?? LONGEST_TEXT;
      if (nameTruncated || valueTruncated || Buffer.byteLength(value) > most)
        throw invalidParameter(`at most ${most} bytes`, name, value);
      // Others are refused by whoever reads them; many of these would take much memory until then.
      if (longTexts.has(name) && texts.some(([other]) => other === name)) throw repeatedPart(name);
      texts.push([name, value]);
    }),
  );
  const tooMany = () => parser.destroy(invalidRequest(`at most ${MOST_TEXTS} parts`, 'the multipart body', 'more'));
  parser.on('partsLimit', tooMany);

  await pipeBody(req, parser, limits.timeoutSeconds).catch((error: unknown) => {
    // The parser's own errors are plain ones; ours and a client that has gone away pass as they are.
    if (error instanceof Error && error.constructor === Error) throw malformed(error);
    throw error;
  });
  return { files, texts };
}

function createParser(req: IncomingMessage, fileParts: readonly string[], longestText: number) {
  try {
    return new MultipartParser({
      headers: { ...req.headers, 'content-type': req.headers['content-type'] ?? '' },
      isPartAFile: (name, _type, filename) =>
        filename !== undefined || (name !== undefined && fileParts.includes(name)),
      limits: {
        parts: MOST_TEXTS,
        fieldSize: longestText,
        headerPairs: PART_HEADERS,
        headerSize: PART_HEADER_BYTES,
      },
    });
  } catch (error) {
    // No boundary.
    throw malformed(error);
  }
}

function malformed(cause: unknown): Failure {
  return invalidRequest('well-formed multipart/form-data', 'the body', 'something else', cause);
}

function unknownFile(name: string, known: readonly string[]): Failure {
  const message = expected(`one of ${known.join(', ')}`, 'the name of a file part', name);
  return new Failure('invalid_parameter', message, { param: name });
}

function repeatedPart(param: string): Failure {
  return new Failure('invalid_parameter', `Expected one part for ${param} but received several.`, { param });
}
