/** Serves a folder with a built website over HTTP. */
import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { extname, join } from 'node:path';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.png': 'image/png',
  '.gif': 'image/gif',
  '.webp': 'image/webp',
  '.avif': 'image/avif',
  '.svg': 'image/svg+xml',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.xml': 'application/xml',
};

/** Returns the files that a path may refer to: static hosts find `/blog` in `blog.html` and `blog/index.html` too. */
function candidates(path: string): string[] {
  if (path.endsWith('/')) return [`${path}index.html`];
  return extname(path) === '' ? [`${path}.html`, `${path}/index.html`, path] : [path];
}

export const serveFolder = (folder: string) => async (request: IncomingMessage, response: ServerResponse) => {
  const { pathname } = new URL(request.url ?? '/', 'http://localhost');
  for (const path of candidates(decodeURIComponent(pathname))) {
    const body = await readFile(join(folder, path)).catch(() => undefined);
    if (!body) continue;
    const type = TYPES[extname(path).toLowerCase()] ?? 'application/octet-stream';
    response.writeHead(200, { 'content-type': type, 'content-length': body.length });
    response.end(request.method === 'HEAD' ? undefined : body);
    return;
  }
  response.writeHead(404).end();
};
