import type { Transport } from '../../../../client/transport.ts';

/**
 * Fetches a file whole.
 * @param onBytes told of what has arrived, and of how much there is, where the service says it
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
