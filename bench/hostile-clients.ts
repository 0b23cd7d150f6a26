/**
 * Clients that send the same file repeatedly, in a separate process, so that their work does not delay the measured
 * requests.
 */
import { fork } from 'node:child_process';
import { once, setMaxListeners } from 'node:events';
import { setPriority } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Agent, request } from 'undici';

export interface Attack {
  address: string;
  /** One key for each client. */
  keys: readonly string[];
  query: string;
  image: Uint8Array;
}

/** Number of responses by status. */
export type Answers = ReadonlyMap<number, number>;

const FILE = fileURLToPath(import.meta.url);
/** How long a client waits after a 429 or 503. Without this pause the clients would be the bottleneck. */
const REFUSED_PAUSE_MS = 1000;
const STOP = 'stop';
/**
 * Real clients run on other machines: here they yield the cores to the service, also to its tasks of lower priority.
 */
const NICENESS = 10;

/** Starts the attack. @returns a function that ends it and returns the responses to the clients */
export async function startAttack(attack: Attack): Promise<() => Promise<Answers>> {
  const child = fork(FILE, { serialization: 'advanced' });
  await once(child, 'spawn');
  child.send(attack);
  return async () => {
    const answered = once(child, 'message');
    const ended = once(child, 'exit');
    child.send(STOP);
    const [answers] = (await answered) as [Answers];
    await ended;
    return answers;
  };
}

async function attackUntil(signal: AbortSignal, { address, keys, query, image }: Attack): Promise<Answers> {
  const dispatcher = new Agent({ connections: keys.length, headersTimeout: 600_000, bodyTimeout: 600_000 });
  setMaxListeners(0, signal);
  const answers = new Map<number, number>();
  const send = async (key: string): Promise<number> => {
    const { statusCode, body } = await request(`${address}/api/v1/${query}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/octet-stream' },
      body: image,
      dispatcher,
      signal,
    });
    await body.dump();
    return statusCode;
  };
  const repeat = async (key: string) => {
    while (!signal.aborted) {
      const status = await send(key).catch(() => undefined);
      if (status === undefined) continue;
      answers.set(status, (answers.get(status) ?? 0) + 1);
      if (status === 429 || status === 503) await pause(REFUSED_PAUSE_MS);
    }
  };
  await Promise.all(keys.map(repeat));
  await dispatcher.destroy();
  return answers;
}

if (process.argv[1] === FILE && process.send) {
  setPriority(NICENESS);
  const [attack] = (await once(process, 'message')) as [Attack];
  const stop = new AbortController();
  process.once('message', () => stop.abort());
  const answers = await attackUntil(stop.signal, attack);
  await new Promise((sent) => process.send!(answers, sent));
  process.disconnect();
}
