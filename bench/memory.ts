/**
 * `npm run bench:memory`: measures the service's memory for an image of many pixels and few bytes. 280 megapixels are
 * 840 MB decoded; a thumbnail must not need that much.
 */
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { request } from 'undici';
import { TMP } from './inputs.ts';
import { memoryOf, resetPeak } from './process-memory.ts';
import { type RunningServer, startServer } from './server.ts';

const WIDTH = 20_000;
const HEIGHT = 14_000;
const THUMBNAIL = 1024;
const FILE = join(TMP, 'large.jpg');

/** Makes a gradient of four colours over the whole image. */
async function makeLarge(): Promise<void> {
  const corners = Uint8Array.of(30, 80, 160, 220, 180, 90, 60, 140, 70, 240, 230, 220);
  await mkdir(TMP, { recursive: true });
  const gradient = await sharp(corners, { raw: { width: 2, height: 2, channels: 3 } })
    .resize(WIDTH, HEIGHT, { fit: 'fill', kernel: 'linear' })
    .jpeg({ quality: 50 })
    .toBuffer();
  await writeFile(FILE, gradient);
}

async function compress({ address, key }: RunningServer, image: Buffer): Promise<Buffer> {
  const { statusCode, body } = await request(`${address}/api/v1/compress?format=jpeg&width=${THUMBNAIL}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'image/jpeg' },
    body: image,
  });
  const answer = Buffer.from(await body.arrayBuffer());
  if (statusCode !== 200) throw new Error(`Expected 200 but received ${statusCode}: ${answer}`);
  return answer;
}

if (process.platform !== 'linux') throw new Error('Expected Linux, whose /proc tells the memory of a process.');
if (!existsSync(FILE)) await makeLarge();
const large = await readFile(FILE);
const server = await startServer();
try {
  // Every worker processes a small image first, as in a service that is in use.
  const small = await sharp({ create: { width: 2000, height: 1500, channels: 3, background: 'teal' } })
    .jpeg()
    .toBuffer();
  await Promise.all(Array.from({ length: 8 }, () => compress(server, small)));

  const before = memoryOf(server.pid)!.resident;
  resetPeak(server.pid);
  const started = performance.now();
  const thumbnail = await compress(server, large);
  const seconds = (performance.now() - started) / 1000;
  const added = memoryOf(server.pid)!.peak - before;
  const { width, height } = await sharp(thumbnail).metadata();
  const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;
  console.log(
    `${WIDTH} x ${HEIGHT} JPEG of ${megabytes(large.length)} to ${width} x ${height}: ${megabytes(added)} added to ${megabytes(before)}, ${seconds.toFixed(1)} s`,
  );
} finally {
  await server.close();
}
