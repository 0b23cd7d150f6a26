import { readlinkSync } from 'node:fs';

/** Id that the system gives the calling thread, which no interface of Node tells; undefined where the system is not Linux. */
export function systemThreadId(): number | undefined {
  try {
    // A link to `<process>/task/<thread>`.
    return Number(readlinkSync('/proc/thread-self').split('/').at(-1));
  } catch {
    return undefined;
  }
}
