/** A server of model files for the setting IC_MODELS_URL, with ranges and ETags. Tests can make it misbehave. */
import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { withServer } from './http-server.ts';

interface MirrorRequest {
  name: string;
  range: string | undefined;
  ifRange: string | undefined;
}

export interface Mirror {
  url: string;
  /** Files by name. */
  files: Map<string, Uint8Array>;
  /** Every request so far. */
  asked: MirrorRequest[];
  /** Sends the response instead of the file, until it is changed again. */
  behave: ((response: ServerResponse, request: IncomingMessage, file: Uint8Array) => void) | undefined;
}

export async function withMirror<T>(
  files: Readonly<Record<string, Uint8Array>>,
  work: (mirror: Mirror) => Promise<T>,
): Promise<T> {
  const mirror: Mirror = { url: '', files: new Map(Object.entries(files)), asked: [], behave: undefined };
  return await withServer(
    (request, response) => {
      const name = request.url?.split('/').pop() ?? '';
      const { range, 'if-range': ifRange } = request.headers;
      mirror.asked.push({ name, range, ifRange: ifRange as string | undefined });
      const file = mirror.files.get(name);
      if (!file) response.writeHead(404).end();
      else if (mirror.behave) mirror.behave(response, request, file);
      else sendFile(response, request, file);
    },
    async ({ origin }) => {
      mirror.url = `${origin}/models`;
      return await work(mirror);
    },
  );
}

export function etagOf(file: Uint8Array): string {
  return `"${createHash('sha1').update(file).digest('hex')}"`;
}

/** Sends the file, or the rest of it if the request asks for that of this version. */
export function sendFile(response: ServerResponse, request: IncomingMessage, file: Uint8Array): void {
  const etag = etagOf(file);
  const { range, 'if-range': ifRange } = request.headers;
  const start = Number(/^bytes=(\d+)-$/.exec(range ?? '')?.[1] ?? 0);
  if (start === 0 || (ifRange !== undefined && ifRange !== etag)) {
    response.writeHead(200, { etag, 'content-length': file.length }).end(file);
  } else if (start >= file.length) {
    response.writeHead(416, { 'content-range': `bytes */${file.length}` }).end();
  } else {
    const rest = file.subarray(start);
    response
      .writeHead(206, {
        etag,
        'content-length': rest.length,
        'content-range': `bytes ${start}-${file.length - 1}/${file.length}`,
      })
      .end(rest);
  }
}

/** Announces the whole file but ends the connection after some bytes. */
export function sendBroken(response: ServerResponse, file: Uint8Array, bytes: number): void {
  response.writeHead(200, { etag: etagOf(file), 'content-length': file.length });
  response.write(file.subarray(0, bytes), () => response.destroy());
}
