/** multipart/form-data (RFC 7578), parsed while it streams: files to memory, everything else to text. */
import type { IncomingMessage } from 'node:http';
import { Busboy, type BusboyConfig } from '@fastify/busboy';
import { expected, Failure, invalidParameter } from '../../base/failure.ts';
import type { SourceFile } from '../../engine/task.ts';
import { BodyCollector } from './body-collector.ts';
import { pipeBody } from './body-stream.ts';
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

type Done = (error?: Error | null) => void;

/** Reads a chunk in slices, and no further when it has been destroyed, by a limit that was passed. */
class MultipartParser extends Busboy {
  readonly #count: (bytes: number) => void;

  /** @param count told the size of each chunk before it is parsed; what it throws ends the parsing */
  constructor(config: BusboyConfig, count: (bytes: number) => void) {
    super(config);
    this.#count = count;
  }

  override _write(chunk: Buffer, encoding: BufferEncoding, done: Done): void {
    try {
      this.#count(chunk.length);
    } catch (error) {
      done(error as Error);
      return;
    }
    this.#writeSlices(chunk, encoding, done);
  }

  #writeSlices(chunk: Buffer, encoding: BufferEncoding, done: Done): void {
    const [slice, rest] = [chunk.subarray(0, SLICE_BYTES), chunk.subarray(SLICE_BYTES)];
    super._write(slice, encoding, (error) => {
      if (error || rest.length === 0 || this.destroyed) done(error);
      else this.#writeSlices(rest, encoding, done);
    });
  }
}

interface ReceivedFile {
  collector: BodyCollector;
  filename: string | undefined;
}

/** Memory of each character of a text, at most: one that is not Latin-1 makes all of them as large. */
const CHARACTER_BYTES = 2;

/**
 * Reads a multipart body. All that arrives is accounted for, and its texts once more, as they are parsed.
 * @param fileParts names of the parts that are files, whatever type they say they have
 * @param bodyBytes largest body
 * @throws Failure 400 for a body that is malformed, a part that is unknown, sent twice or too long; 413 `file_too_large`
 */
export async function readMultipart(
  req: IncomingMessage,
  fileParts: readonly string[],
  room: UploadRoom,
  bodyBytes: number,
  limits: MultipartLimits,
): Promise<Multipart> {
  const files = new Map<string, ReceivedFile>();
  const texts: [string, string][] = [];
  const { longTexts = new Map<string, number>() } = limits;
  let receivedBytes = 0;
  let textBytes = 0;
  const count = (bytes: number) => {
    receivedBytes += bytes;
    if (receivedBytes > bodyBytes) throw fileTooLarge(limits.fileBytes);
    room.reserve(receivedBytes + textBytes);
  };
  const parser = createParser(req, fileParts, Math.max(LONGEST_TEXT, ...longTexts.values()), count);
  // A listener must not throw: the parser would take it for a fault of its own, or lose it.
  const guard = (work: () => void) => {
    try {
      work();
    } catch (error) {
      parser.destroy(error as Error);
    }
  };

  parser.on('file', (name, stream, filename) => {
    const collector = new BodyCollector();
    const started = files.has(name);
    files.set(name, { collector, filename });
    stream.on('data', (chunk: Buffer) =>
      guard(() => {
        if (collector.length + chunk.length > limits.fileBytes) throw fileTooLarge(limits.fileBytes, name);
        collector.push(chunk);
      }),
    );
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
      // A part may come without a name, whatever its type says.
      textBytes += CHARACTER_BYTES * ((name?.length ?? 0) + value.length);
      room.reserve(receivedBytes + textBytes);
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
  return { files: await finishFiles(files), texts };
}

async function finishFiles(files: ReadonlyMap<string, ReceivedFile>): Promise<Map<string, SourceFile>> {
  const finished = new Map<string, SourceFile>();
  for (const [name, { collector, filename }] of files)
    finished.set(name, { data: await collector.finish(), ...(filename ? { filename } : {}) });
  return finished;
}

function createParser(
  req: IncomingMessage,
  fileParts: readonly string[],
  longestText: number,
  count: (bytes: number) => void,
) {
  const config: BusboyConfig = {
    headers: { ...req.headers, 'content-type': req.headers['content-type'] ?? '' },
    isPartAFile: (name, _type, filename) => filename !== undefined || (name !== undefined && fileParts.includes(name)),
    limits: {
      parts: MOST_TEXTS,
      fieldSize: longestText,
      headerPairs: PART_HEADERS,
      headerSize: PART_HEADER_BYTES,
    },
  };
  try {
    return new MultipartParser(config, count);
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
