import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface TestServer {
  port: number;
  /** `http://127.0.0.1:port`, or with the host that was passed. */
  origin: string;
}

/** Runs `work` with an HTTP server on a free port. Closes the server and all its connections afterwards. */
export async function withServer<T>(
  listener: RequestListener,
  work: (server: TestServer) => Promise<T>,
  { host = '127.0.0.1', port = 0 } = {},
): Promise<T> {
  const server = createServer(listener);
  server.listen(port, host);
  await once(server, 'listening');
  const address = server.address() as AddressInfo;
  try {
    return await work({ port: address.port, origin: `http://${host}:${address.port}` });
  } finally {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  }
}
