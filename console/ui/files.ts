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

/**
 * Saves a file through the browser's download. A link to the service would not work, because it cannot send the key.
 */
export function saveFile(content: Blob, name: string): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // Not all browsers have started to read the file when the click returns.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/**
 * Returns the path of an address that the service wrote. Its host is the service's public address, which may differ
 * from that of this page.
 */
export function toServicePath(url: string): string {
  const { pathname, search } = new URL(url);
  return pathname.slice(pathname.indexOf('/api/v1/')) + search;
}
