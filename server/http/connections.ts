/** Limits connections, so that clients that open many or send nothing leave enough for others. */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { ClientAddresses } from './client-address.ts';

export interface ConnectionLimits {
  /** All connections at a time; the next one is closed at once. */
  maxConnections: number;
  /** Connections of one client at a time. Proxies have no limit of their own. */
  maxConnectionsPerAddress: number;
  /** A connection is closed if its client sends nothing for this time after opening it. */
  silentMs: number;
}

export function limitConnections(
  server: Server,
  addresses: ClientAddresses,
  { maxConnections, maxConnectionsPerAddress, silentMs }: ConnectionLimits,
): void {
  server.maxConnections = maxConnections;
  const counts = new Map<string, number>();
  server.on('connection', (socket) => {
    closeIdleSocket(socket, silentMs);
    if (addresses.isProxy(socket.remoteAddress)) return;
    const client = addresses.connectionKey(socket.remoteAddress);
    const count = (counts.get(client) ?? 0) + 1;
    // No response: writing one would cost more than the client has spent.
    if (count > maxConnectionsPerAddress) {
      socket.destroy();
      return;
    }
    counts.set(client, count);
    socket.once('close', () => {
      const left = counts.get(client)! - 1;
      if (left === 0) counts.delete(client);
      else counts.set(client, left);
    });
  });
}

/**
 * Closes connections that send nothing. In some versions of Node, its own limit starts at the first byte of a request.
 */
function closeIdleSocket(socket: Socket, silentMs: number): void {
  const timer = setTimeout(() => {
    if (socket.bytesRead === 0) socket.destroy();
  }, silentMs);
  timer.unref();
  socket.once('close', () => clearTimeout(timer));
}
