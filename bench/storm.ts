/**
 * `npm run bench:storm`: tests the service under adverse conditions: fifty uploads of 20 MB at once, clients that
 * disconnect, a worker that is stopped during a task, a body that stops half way, one of 2 GB, one of a byte, a
 * decompression bomb. Prints each response and the memory; exits with 1 if a response is wrong, the process died or its
 * memory was not freed.
 */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import sharp from 'sharp';
import { Agent, request } from 'undici';
import { blankPng } from '../test/support/blank-png.ts';
import { memoryOf, resetPeak } from './process-memory.ts';
import { startServer } from './server.ts';

const UPLOADS = 50;
const UPLOAD_SIDE = 2570; // 19.8 MB of noise as an uncompressed PNG
const DISCONNECTING_CLIENTS = 10;
const UPLOAD_TIMEOUT_S = 8;
/** Longer than the pool's idle time, after which workers free their memory. */
const SETTLE_MS = 15_000;
const MAX_GROWTH = 1.2;
const MB = 1e6;

if (process.platform !== 'linux') throw new Error('Expected Linux, whose /proc tells the memory of a process.');
const server = await startServer({ IC_WORKERS: '2', IC_UPLOAD_TIMEOUT_S: String(UPLOAD_TIMEOUT_S) });
const dispatcher = new Agent({ connections: UPLOADS + DISCONNECTING_CLIENTS });
const wrong: string[] = [];

function report(what: string, got: unknown, right: boolean): void {
  console.log(`${right ? 'ok   ' : 'WRONG'} ${what}: ${String(got)}`);
  if (!right) wrong.push(what);
}

interface Answer {
  status: number;
  width: string;
  code: string | undefined;
}

async function compress(image: Uint8Array, query = '', signal?: AbortSignal): Promise<Answer> {
  const { statusCode, headers, body } = await request(`${server.address}/api/v1/compress${query}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${server.key}`, 'content-type': 'application/octet-stream' },
    body: image,
    dispatcher,
    headersTimeout: 120_000,
    ...(signal ? { signal } : {}),
  });
  const answer = Buffer.from(await body.arrayBuffer());
  const code =
    statusCode >= 400 ? (JSON.parse(answer.toString()) as { error: { code: string } }).error.code : undefined;
  return { status: statusCode, width: String(headers['x-ic-width']), code };
}

/** Sends raw bytes over a separate connection until the server ends it; returns the status line and the code. */
async function raw(
  head: string[],
  body: (send: (bytes: Uint8Array) => Promise<void>) => Promise<void>,
): Promise<string> {
  const { hostname, port } = new URL(server.address);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  let answer = '';
  socket.on('data', (bytes: Buffer) => {
    answer += bytes.toString('latin1');
  });
  // A server that has responded may close while we still write.
  socket.on('error', () => {});
  const closed = once(socket, 'close');
  const lines = ['POST /api/v1/compress HTTP/1.1', `Host: ${hostname}`, `Authorization: Bearer ${server.key}`, ...head];
  socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  const send = async (bytes: Uint8Array) => {
    if (!socket.write(bytes)) await Promise.race([once(socket, 'drain'), closed]);
  };
  await Promise.race([body(send), closed]);
  await closed;
  return `${answer.split('\r\n', 1)[0]} ${/"code":"(\w+)"/.exec(answer)?.[1]}`;
}

const noise = { raw: { width: UPLOAD_SIDE, height: UPLOAD_SIDE, channels: 3 as const } };
const upload = await sharp(randomBytes(UPLOAD_SIDE ** 2 * 3), noise)
  .png({ compressionLevel: 0 })
  .toBuffer();
const small = await sharp({ create: { width: 400, height: 300, channels: 3, background: 'teal' } })
  .jpeg()
  .toBuffer();
const resident = () => memoryOf(server.pid)?.resident ?? 0;

try {
  await Promise.all(Array.from({ length: 20 }, () => compress(small, '?width=100')));
  await compress(upload, '?format=jpeg&width=320');
  await pause(SETTLE_MS);
  const before = resident();
  resetPeak(server.pid);

  const started = performance.now();
  const answers = await Promise.all(
    Array.from({ length: UPLOADS }, (_, index) => compress(upload, `?format=jpeg&width=${200 + index}`)),
  );
  const own = answers.filter(({ status, width }, index) => status === 200 && width === String(200 + index)).length;
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  report(
    `${UPLOADS} uploads of ${(upload.length / MB).toFixed(1)} MB at once`,
    `${own} got their own image, ${seconds} s`,
    own === UPLOADS,
  );

  // AVIF of 6.6 megapixels takes seconds, so these are aborted while they upload, wait and run.
  const clients = Array.from({ length: DISCONNECTING_CLIENTS }, (_, index) => AbortSignal.timeout(200 + index * 200));
  const vanished = await Promise.allSettled(clients.map((signal) => compress(upload, '?format=avif', signal)));
  const gone = vanished.filter(({ status }) => status === 'rejected').length;
  const next = await Promise.all([1, 2, 3, 4].map(() => compress(small, '?width=50')));
  report(
    `${DISCONNECTING_CLIENTS} clients that vanish, workers stopped under them`,
    `${gone} gone, the next answers ${next.map(({ status }) => status)}`,
    gone === DISCONNECTING_CLIENTS && next.every(({ status }) => status === 200),
  );

  const half = await raw([`Content-Length: ${MB}`], (send) => send(Buffer.alloc(MB / 2)));
  report('a body that stops half way', half, half.endsWith('408 Request Timeout upload_timeout'));
  const chunk = Buffer.concat([Buffer.from('100000\r\n'), Buffer.alloc(0x100000), Buffer.from('\r\n')]);
  const flood = (bytes: Uint8Array) => async (send: (bytes: Uint8Array) => Promise<void>) => {
    for (let sent = 0; sent < 2048; sent += 1) await send(bytes);
  };
  const declared = await raw([`Content-Length: ${2 ** 31}`], flood(Buffer.alloc(0x100000)));
  report('a body of 2 GB that says so', declared, declared.includes('413 Payload Too Large file_too_large'));
  const endless = await raw(['Transfer-Encoding: chunked'], flood(chunk));
  report('a body of 2 GB that does not', endless, endless.includes('413 Payload Too Large file_too_large'));
  const single = await compress(Buffer.from('x'));
  report('a body of one byte', `${single.status} ${single.code}`, single.code === 'unsupported_format');
  const refused = await compress(blankPng(30_000, 30_000, 30 * MB), '?width=100');
  report('a PNG of 30,000 x 30,000', `${refused.status} ${refused.code}`, refused.code === 'image_too_large');

  const last = await Promise.all(Array.from({ length: 8 }, (_, index) => compress(small, `?width=${50 + index}`)));
  report(
    'the answers after all that',
    last.map(({ status, width }) => `${status}:${width}`).join(' '),
    last.every(({ status, width }, index) => status === 200 && width === String(50 + index)),
  );

  const { peak = 0 } = memoryOf(server.pid) ?? {};
  await pause(SETTLE_MS);
  const after = resident();
  const figures = [before, peak, after].map((bytes) => `${Math.round(bytes / MB)} MB`).join(' -> ');
  report(
    'memory before, at its peak, after',
    `${figures}, ratio ${(after / before).toFixed(2)}`,
    after < before * MAX_GROWTH,
  );
} finally {
  await dispatcher.destroy();
  await server.close();
}
process.exitCode = wrong.length === 0 ? 0 : 1;
