import type { Transport } from '../../client/transport.ts';

/**
 * Downloads a whole file.
 * @param onBytes called with the bytes received, and with the total if the service sent it
 */
export async function fetchFile(
  api: Pick<Transport, 'send'>,
  path: string,
  { signal, onBytes }: { signal: AbortSignal; onBytes(done: number, total: number | undefined): void },
): Promise<Blob> {
  const response = await api.send(path, { signal });
  const total = Number(response.headers.get('Content-Length')) || undefined;
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let done = 0;
  const reader = response.body!.getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    parts.push(part.value);
    done += part.value.length;
    onBytes(done, total);
  }
  return new Blob(parts, { type: response.headers.get('Content-Type') ?? '' });
}
