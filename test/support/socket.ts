/** Sends raw HTTP, for requests that no client sends. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export async function openSocket(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  // A server may end a connection with a reset; the tests look at what came before it.
  socket.on('error', () => {});
  await once(socket, 'connect');
  return socket;
}

export interface RawResponse {
  status: number;
  headers: Headers;
  body: string;
}

/** Reads one response with a Content-Length. What follows it stays unread. */
export function readResponse(socket: Socket): Promise<RawResponse> {
  return new Promise((resolve, reject) => {
    let text = '';
    const onData = (chunk: Buffer) => {
      text += chunk.toString('latin1');
      const answer = parseAnswer(text);
      if (!answer) return;
      settle();
      socket.unshift(Buffer.from(answer.rest, 'latin1'));
      resolve(answer);
    };
    const onClose = () => {
      settle();
      reject(new Error(`The connection was closed after ${JSON.stringify(text)}`));
    };
    function settle(): void {
      socket.pause();
      socket.off('data', onData);
      socket.off('close', onClose);
    }
    socket.once('close', onClose);
    socket.on('data', onData);
    socket.resume();
  });
}

function parseAnswer(text: string): (RawResponse & { rest: string }) | undefined {
  const end = text.indexOf('\r\n\r\n');
  if (end === -1) return undefined;
  const [statusLine = '', ...lines] = text.slice(0, end).split('\r\n');
  const headers = new Headers(lines.map((line) => line.split(/:\s*(.*)/s, 2) as [string, string]));
  const bodyEnd = end + 4 + Number(headers.get('content-length') ?? 0);
  if (text.length < bodyEnd) return undefined;
  const status = Number(statusLine.split(' ')[1]);
  return { status, headers, body: text.slice(end + 4, bodyEnd), rest: text.slice(bodyEnd) };
}

/** Sends bytes on a separate connection and reads one response. */
export async function sendRaw(port: number, request: string | Uint8Array): Promise<RawResponse> {
  const socket = await openSocket(port);
  try {
    const answer = readResponse(socket);
    socket.write(request);
    return await answer;
  } finally {
    socket.destroy();
  }
}

/** Resolves when the other side has closed the connection. */
export async function closed(socket: Socket): Promise<void> {
  socket.resume();
  if (!socket.closed) await once(socket, 'close');
}
