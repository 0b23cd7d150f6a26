/** Connections to a store that fail in ways that a test chooses. What passes is the real store's. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/**
 * `reset`: closed at once. `silent`: accepted and never answered. `answer`: this text instead of the store's. `cutAfter`:
 * closed when this many bytes of the store's answer have passed.
 */
export type Fault = 'reset' | 'silent' | { answer: string } | { cutAfter: number };

export interface FaultyConnections {
  port: number;
  /** Faults of the next connections, in this order; all others are without. */
  next: Fault[];
  /** Connections so far. */
  count(): number;
}

/** @param port of the store */
export async function withFaults<T>(port: number, work: (connections: FaultyConnections) => Promise<T>): Promise<T> {
  const next: Fault[] = [];
  const open = new Set<Socket>();
  let count = 0;
  const server = createServer((socket) => {
    count += 1;
    open.add(socket);
    socket.on('error', () => {}).on('close', () => open.delete(socket));
    fail(socket, port, next.shift());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    return await work({ port: (server.address() as AddressInfo).port, next, count: () => count });
  } finally {
    for (const socket of open) socket.destroy();
    server.close();
  }
}

function fail(socket: Socket, port: number, fault: Fault | undefined): void {
  if (fault === 'reset') return void socket.resetAndDestroy();
  if (fault === 'silent') return void socket.resume();
  if (fault && 'answer' in fault) return void socket.once('data', () => socket.end(fault.answer));
  const store = connect(port, '127.0.0.1');
  store.on('error', () => socket.destroy()).on('close', () => socket.destroy());
  socket.on('close', () => store.destroy());
  socket.pipe(store);
  let left = fault?.cutAfter ?? Number.POSITIVE_INFINITY;
  store.on('data', (chunk: Buffer) => {
    socket.write(chunk.subarray(0, left));
    left -= chunk.length;
    if (left <= 0) socket.resetAndDestroy();
  });
}
