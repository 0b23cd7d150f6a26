import { readlinkSync } from 'node:fs';

/**
 * The operating system's id of the calling thread, which Node does not expose. Undefined if the system is not Linux.
 */
export function systemThreadId(): number | undefined {
  try {
    // A link to `<process>/task/<thread>`.
    return Number(readlinkSync('/proc/thread-self').split('/').at(-1));
  } catch {
    return undefined;
  }
}
