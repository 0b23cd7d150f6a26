/** A DNS server on 127.0.0.1 whose answers may change from one query to the next (RFC 1035). */
import { createSocket } from 'node:dgram';
import { promises as dns } from 'node:dns';
import { once } from 'node:events';
import { isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { Resolve } from '../../server/http/connector.ts';

const A = 1;
const AAAA = 28;
const INTERNET = 1;
/** Length of the header. */
const HEADER_BYTES = 12;
const NO_SUCH_NAME = 3;

export interface DnsServer {
  /** The addresses of a name, one list per query; the last list is repeated. */
  names: Map<string, string[][]>;
  /** The names that were queried, in order; each once for both address types. */
  asked: string[];
  /** Resolves a host with this server, over the network. */
  resolve: Resolve;
}

/** Runs `work` with a DNS server whose answers may not be cached: their TTL is 0. */
export async function withDnsServer<T>(work: (server: DnsServer) => Promise<T>): Promise<T> {
  const names: DnsServer['names'] = new Map();
  const asked: string[] = [];
  const socket = createSocket('udp4');
  socket.on('message', (query, { port, address }) => {
    const { name, type, end } = questionOf(query);
    const answers = names.get(name);
    const addresses = (answers?.[Math.min(countOf(asked, name), answers.length) - 1] ?? []).filter(
      (candidate) => (type === AAAA) === isIPv6(candidate),
    );
    socket.send(answerTo(query.subarray(0, end), addresses, answers === undefined), port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const resolver = new dns.Resolver({ timeout: 5000, tries: 1 });
  resolver.setServers([`127.0.0.1:${socket.address().port}`]);

  const resolve: Resolve = async (hostname) => {
    asked.push(hostname);
    const kinds = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    const addresses = kinds.flatMap((kind) => (kind.status === 'fulfilled' ? kind.value : []));
    if (addresses.length === 0) throw Object.assign(new Error('no address'), { code: 'ENOTFOUND' });
    return addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }));
  };
  try {
    return await work({ names, asked, resolve });
  } finally {
    resolver.cancel();
    socket.close();
    await once(socket, 'close');
  }
}

function countOf(asked: readonly string[], name: string): number {
  return asked.filter((other) => other === name).length;
}

function questionOf(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}

/** Builds a response: the question, followed by the addresses of its type. */
function answerTo(question: Buffer, addresses: readonly string[], unknown: boolean): Buffer {
  const head = Buffer.from(question);
  // An authoritative response.
  head.writeUInt16BE(0x8400 | (unknown ? NO_SUCH_NAME : 0), 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(addresses.length, 6);
  head.writeUInt32BE(0, 8);
  const records = addresses.map((address) => {
    const octets = Buffer.from(ipaddr.parse(address).toByteArray());
    const record = Buffer.alloc(12);
    // A pointer to the name in the question.
    record.writeUInt16BE(0xc000 | HEADER_BYTES, 0);
    record.writeUInt16BE(octets.length === 4 ? A : AAAA, 2);
    record.writeUInt16BE(INTERNET, 4);
    record.writeUInt32BE(0, 6);
    record.writeUInt16BE(octets.length, 10);
    return Buffer.concat([record, octets]);
  });
  return Buffer.concat([head, ...records]);
}
