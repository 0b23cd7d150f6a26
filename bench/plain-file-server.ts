/** A file server of Node alone, the peer of bench/delivery.ts: one read stream per request. */
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pipeline } from 'node:stream';

const folder = process.argv[2]!;

const server = createServer(async (request, response) => {
  const path = join(folder, new URL(request.url!, 'http://localhost').pathname);
  const facts = await stat(path);
  response.writeHead(200, {
    'content-type': 'image/webp',
    'content-length': facts.size,
    etag: `"${facts.size}-${facts.mtimeMs}"`,
    'cache-control': 'public, max-age=3600',
  });
  pipeline(createReadStream(path), response, () => {});
});
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
