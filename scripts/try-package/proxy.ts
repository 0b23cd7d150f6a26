/** A proxy that lets connections to the registry of npm pass, and counts all others as refused. */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage, request } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { promisify } from 'node:util';

export interface Proxy {
  address: string;
  /** Hosts that were asked for and refused. */
  refused: Set<string>;
  close(): Promise<void>;
}

export async function startProxy(): Promise<Proxy> {
  const { stdout } = await promisify(execFile)('npm', ['config', 'get', 'registry']);
  const registry = new URL(stdout.trim());
  const allowed = `${registry.hostname}:${registry.port || (registry.protocol === 'https:' ? 443 : 80)}`;
  const refused = new Set<string>();
  const server = createServer((incoming, response) => {
    const { host, port, pathname, search, hostname } = new URL(incoming.url ?? '', 'http://unknown');
    if (`${hostname}:${port || 80}` !== allowed) {
      refused.add(host);
      response.writeHead(403).end();
      return;
    }
    const { method, headers } = incoming;
    const outgoing = request(
      { host: hostname, port: port || 80, path: pathname + search, method, headers },
      (answer) => {
        response.writeHead(answer.statusCode!, answer.headers);
        answer.pipe(response);
      },
    );
    outgoing.on('error', () => response.destroy());
    incoming.pipe(outgoing);
  });
  server.on('connect', ({ url = '' }: IncomingMessage, client: Duplex, head: Buffer) => {
    if (url !== allowed) {
      refused.add(url);
      client.end('HTTP/1.1 403 Forbidden\r\n\r\n');
      return;
    }
    const [host, port] = [registry.hostname, Number(url.split(':').at(-1))];
    const upstream = connect(port, host, () => {
      client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      upstream.write(head);
      upstream.pipe(client).pipe(upstream);
    });
    const end = () => {
      client.destroy();
      upstream.destroy();
    };
    client.on('error', end);
    upstream.on('error', end);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    refused,
    async close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
