/** Parses multipart/form-data (RFC 7578) as it streams in: files into memory, everything else into text. */
import type { IncomingMessage } from 'node:http';
import { Busboy, type BusboyConfig } from '@fastify/busboy';
import { expected, Failure, invalidParameter } from '../../base/failure.ts';
import { hintForName } from '../../base/unknown-name.ts';
import type { SourceFile } from '../../engine/task.ts';
import { BodyCollector } from './body-collector.ts';
import { pipeBody } from './body-stream.ts';
import { fileTooLarge, invalidRequest } from './errors.ts';
import type { MemoryReservation } from './uploads.ts';

export interface MultipartLimits {
  /** Largest file of one part, in bytes. */
  fileBytes: number;
  /** Seconds in which the whole body must have arrived. */
  timeoutSeconds: number;
  /** Text parts that may be longer than others and occur only once: the maximum bytes of each, by name. */
  longTexts?: ReadonlyMap<string, number>;
  /** The failure of a file part with a name that is not accepted, where there is more to say than that. */
  failureOfFile?: (name: string) => Failure | undefined;
}

export interface Multipart {
  files: ReadonlyMap<string, SourceFile>;
  texts: readonly (readonly [string, string])[];
}

/** More than any operation has parameters. */
const MAX_PARTS = 128;
/** Maximum size of a text part in bytes. A URL of 2048 characters fits, percent-encoded or not. */
const MAX_TEXT_BYTES = 8192;
const MAX_PART_HEADER_BYTES = 8192;
const MAX_PART_HEADERS = 16;

/**
 * A part can be as short as 9 bytes: a chunk of 64 KiB can have
 * thousands of parts, which block the event loop for 0.1 s.
 */
const SLICE_BYTES = 16 * 1024;

type Done = (error?: Error | null) => void;

/** Parses each chunk in slices. Stops when the parser has been destroyed because a limit was exceeded. */
class MultipartParser extends Busboy {
  readonly #count: (bytes: number) => void;

  /** @param count receives the size of each chunk before it is parsed; parsing ends if it throws */
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

/** Maximum memory per character of a text. One character outside Latin-1 makes all of them this large. */
const CHARACTER_BYTES = 2;

/**
 * Reads a multipart body. Counts all bytes received, and texts a second time as they are parsed.
 * @param fileParts names of the parts that are files, whatever type they declare
 * @param bodyBytes maximum size of the body
 * @throws Failure 400 for a malformed body, or a part that is unknown, repeated or too long; 413 `file_too_large`
 */
export async function readMultipart(
  req: IncomingMessage,
  fileParts: readonly string[],
  room: MemoryReservation,
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
  const parser = createParser(req, fileParts, Math.max(MAX_TEXT_BYTES, ...longTexts.values()), count);
  // A listener must not throw: the parser would treat the error as its own, or lose it.
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
    // The parser reports the same error itself.
    stream.on('error', () => {});
    guard(() => {
      if (!fileParts.includes(name)) throw limits.failureOfFile?.(name) ?? unknownFile(name, fileParts);
      if (started) throw repeatedPart(name);
    });
  });
  parser.on('field', (name, value, nameTruncated, valueTruncated) =>
    guard(() => {
      const most = longTexts.get(name) ?? MAX_TEXT_BYTES;
      if (nameTruncated || valueTruncated || Buffer.byteLength(value) > most)
        throw invalidParameter(`at most ${most} bytes`, name, value);
      // Other repeated parts are refused later, by the decoder. Many long texts would take much memory until then.
      if (longTexts.has(name) && texts.some(([other]) => other === name)) throw repeatedPart(name);
      // `name` can be undefined, although its type does not say so.
      textBytes += CHARACTER_BYTES * ((name?.length ?? 0) + value.length);
      room.reserve(receivedBytes + textBytes);
      texts.push([name, value]);
    }),
  );
  const tooMany = () => parser.destroy(invalidRequest(`at most ${MAX_PARTS} parts`, 'the multipart body', 'more'));
  parser.on('partsLimit', tooMany);

  await pipeBody(req, parser, limits.timeoutSeconds).catch((error: unknown) => {
    // The parser's own errors are plain Error objects. Failures and ClientGone pass unchanged.
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
      parts: MAX_PARTS,
      fieldSize: longestText,
      headerPairs: MAX_PART_HEADERS,
      headerSize: MAX_PART_HEADER_BYTES,
    },
  };
  try {
    return new MultipartParser(config, count);
  } catch (error) {
    // The boundary is missing.
    throw malformed(error);
  }
}

const malformed = (cause: unknown): Failure =>
  invalidRequest('well-formed multipart/form-data', 'the body', 'something else', cause);

function unknownFile(name: string, known: readonly string[]): Failure {
  const message = expected(`one of ${known.join(', ')}`, 'the name of a file part', name);
  return new Failure('invalid_parameter', message, { param: name, hint: hintForName(name, known) });
}

const repeatedPart = (param: string): Failure =>
  new Failure('invalid_parameter', `Expected one part for ${param} but received several.`, { param });
