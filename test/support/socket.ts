/** HTTP by hand, for what no client sends. */

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export async function openSocket(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  // A reset is one of the ways in which a server may end a connection; the tests look at what came before it.
  socket.on('error', () => {});
  await once(socket, 'connect');
  return socket;
}

/** Everything that comes until the server closes the connection. */
export async function readAll(socket: Socket): Promise<string> {
  let text = '';
  socket.setEncoding('latin1');
  socket.on('data', (chunk) => {
    text += chunk;
  });
  if (!socket.closed) await once(socket, 'close');
  return text;
}

/** Sends bytes and reads until the server closes the connection. */
export async function exchange(port: number, request: string): Promise<string> {
  const socket = await openSocket(port);
  const answer = readAll(socket);
  socket.write(request);
  return await answer;
}

/** The parts of one answer. */
export function parseAnswer(text: string): { status: number; headers: Headers; body: string } {
  const [head = '', ...body] = text.split('\r\n\r\n');
  const [statusLine = '', ...lines] = head.split('\r\n');
  const pairs = lines.map((line) => line.split(/:\s*/, 2) as [string, string]);
  return { status: Number(statusLine.split(' ')[1]), headers: new Headers(pairs), body: body.join('\r\n\r\n') };
}
