/** Runs one order in a fresh process and returns its reply, so that earlier runs and their memory have no influence. */
import { fork } from 'node:child_process';

/** The reply of a process. */
export type Reply<T> = { value: T } | { error: string };

export interface ProcessOptions {
  /** Added to the environment of this process. */
  env?: Record<string, string>;
  /** A process that has not replied by then is killed. */
  patienceMs: number;
}

/** Runs `file`, which must call {@link answer}. A process that exits without a reply is reported as an error. */
export function runInFreshProcess<T>(
  file: URL,
  order: unknown,
  { env = {}, patienceMs }: ProcessOptions,
): Promise<Reply<T>> {
  const child = fork(file, [JSON.stringify(order)], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    serialization: 'advanced',
  });
  const timer = setTimeout(() => child.kill('SIGKILL'), patienceMs);
  let reply: Reply<T> | undefined;
  let said = '';
  child.stderr!.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  child.on('message', (message) => {
    reply = message as Reply<T>;
  });
  return new Promise((resolve) => {
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      resolve(reply ?? { error: `ended with ${signal ?? code}: ${lastLine(said)}` });
    });
  });
}

const lastLine = (text: string): string => text.trim().split('\n').at(-1) ?? '';

/** Called in the child process: carries out the order, sends the reply and exits. */
export async function answer<Order, T>(work: (order: Order) => Promise<T>): Promise<never> {
  const reply: Reply<T> = await work(JSON.parse(process.argv[2]!) as Order).then(
    (value) => ({ value }),
    (error: unknown) => ({ error: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
  );
  await new Promise((sent) => process.send!(reply, sent));
  process.exit();
}
