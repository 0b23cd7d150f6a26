import { open, writeFile } from 'node:fs/promises';

/** Writes a file for its owner and flushes its bytes to disk: a rename must not become durable before them. */
export async function writeDurably(path: string, data: Uint8Array | AsyncIterable<Uint8Array>): Promise<void> {
  const file = await open(path, 'w', 0o600);
  try {
    await writeFile(file, data);
    await file.datasync();
  } finally {
    await file.close();
  }
}
