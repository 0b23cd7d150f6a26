import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import type { ErrorCode } from '../../base/failure.ts';
import type { DnsServer } from './dns-server.ts';

export interface ForbiddenAddress {
  url: string;
  code: ErrorCode;
}

/** The addresses of the host names in the list. No other name resolves. */
const FORBIDDEN_NAMES: ReadonlyMap<string, string> = new Map([
  ['localhost', '127.0.0.1'],
  ['sub.localhost', '127.0.0.1'],
  ['router', '127.0.0.1'],
  ['inner.test', '127.0.0.1'],
  ['inner6.test', '::1'],
  ['mapped.test', '::ffff:127.0.0.1'],
  ['metadata.test', '169.254.169.254'],
  ['nat64.test', '64:ff9b::7f00:1'],
  ['6to4.test', '2002:7f00:1::'],
  ['zero.test', '0.0.0.0'],
  ['public.test', '93.184.215.14'],
]);

export function addForbiddenNames(dns: DnsServer): void {
  for (const [name, address] of FORBIDDEN_NAMES) dns.names.set(name, [[address]]);
}

/**
 * Returns addresses that no scan may reach unless exactly this address is allowed (docs/spec/shapes.md, section 16.8).
 * @param port of a canary on the loopback addresses
 */
export function forbiddenAddresses(port: number): ForbiddenAddress[] {
  const hosts = [
    ...[
      '127.0.0.1',
      '127.1',
      '127.0.1',
      '2130706433',
      '0177.0.0.1',
      '017700000001',
      '0x7f.0.0.1',
      '0x7f000001',
      '0X7F.1',
    ],
    ...['0300.0250.0.1', '0xa9fea9fe', '%31%32%37.0.0.1', '127.0.0.1.', '１２７.０.０.１', '①②⑦.⓪.⓪.①', '127。0。0。1'],
    ...[
      '0.0.0.0',
      '0',
      '0x0',
      '[::]',
      '[::1]',
      '[0:0:0:0:0:0:0:1]',
      '[::ffff:127.0.0.1]',
      '[::ffff:7f00:1]',
      '[::127.0.0.1]',
    ],
    ...['[64:ff9b::7f00:1]', '[64:ff9b::127.0.0.1]', '[2002:7f00:1::]', '[2001:0:4136:e378:8000:63bf:80ff:fffe]'],
    ...['[fc00::1]', '[fe80::1]', '[ff02::1]', '[2001:db8::1]', '10.0.0.1', '172.16.0.1', '192.168.0.1', '100.64.0.1'],
    ...[
      '169.254.169.254',
      '192.0.0.1',
      '192.0.2.1',
      '198.18.0.1',
      '198.51.100.1',
      '203.0.113.1',
      '224.0.0.1',
      '240.0.0.1',
    ],
    ...['255.255.255.255', 'localhost', 'LOCALHOST', 'localhost.', 'public.test.', ...FORBIDDEN_NAMES.keys()],
  ].filter((host) => host !== 'public.test');
  const text = (url: string): ForbiddenAddress => ({ url, code: 'invalid_url' });
  const address = (url: string): ForbiddenAddress => ({ url, code: 'url_not_allowed' });
  return [
    ...hosts.map((host) => address(`http://${host}:${port}/`)),
    ...['127.0.0.1', '[::1]', 'inner.test'].map((host) => address(`https://${host}:${port}/`)),
    ...[22, 25, 81, 6379, 8081].map((other) => address(`http://public.test:${other}/`)),
    address('http://anna:geheim@public.test/'),
    address('http://anna@public.test/'),
    address(`http://public.test@127.0.0.1:${port}/`),
    address(`http://127.0.0.1:${port}\\@public.test/`),
    ...[
      'file:///etc/passwd',
      'ftp://127.0.0.1/',
      `gopher://127.0.0.1:${port}/_a`,
      'data:text/html,a',
      'javascript:1',
    ].map(text),
    ...[
      `http://[fe80::1%25lo]:${port}/`,
      `http://127.0.0.1:${port}1/`,
      'http://256.256.256.256/',
      'http://0x7f.1.1.1.1/',
    ].map(text),
  ];
}

export interface Canary {
  port: number;
  /** Number of connections so far. */
  readonly connections: number;
  close(): Promise<void>;
}

/** Listens on a free port of 127.0.0.1, and on the same port of ::1 if there is one. Nothing may connect. */
export async function startCanary(): Promise<Canary> {
  let connections = 0;
  let port = 0;
  const servers: Server[] = [];
  for (const host of ['127.0.0.1', '::1']) {
    const server = createServer((socket) => {
      connections += 1;
      socket.end('HTTP/1.1 200 OK\r\nContent-Length: 6\r\nConnection: close\r\n\r\nsecret');
    });
    server.listen(port, host);
    try {
      await once(server, 'listening');
      ({ port } = server.address() as AddressInfo);
      servers.push(server);
    } catch (error) {
      if (host === '127.0.0.1') throw error;
    }
  }
  return {
    port,
    get connections() {
      return connections;
    },
    async close() {
      for (const server of servers) {
        server.close();
        await once(server, 'close');
      }
    },
  };
}
