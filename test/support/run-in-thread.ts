import { Worker } from 'node:worker_threads';

/**
 * Runs a CommonJS program in a thread that ends with it, so that its memory and its modules are freed afterwards.
 * @param program posts one message to `parentPort`; reads `workerData`
 * @returns the message
 */
export async function runInThread<T>(program: string, workerData: unknown): Promise<T> {
  const worker = new Worker(program, { eval: true, workerData });
  try {
    return await new Promise((resolve, reject) => {
      worker.once('message', resolve);
      worker.once('error', reject);
    });
  } finally {
    await worker.terminate();
  }
}
