import type { Command } from 'commander';
import { Failure, withHint } from '../base/failure.ts';
import { printable } from '../base/printable.ts';

/**
 * Turns failures of `work` into usage errors.
 * @param said converts a failure's message to the terms of the command line
 */
export async function asUsage<T>(command: Command, work: () => Promise<T>, said = printable): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Failure) return command.error(said(withHint(error)));
    throw error;
  }
}

/** Rewrites setting names in a message to option names. */
export function withOptionNames(message: string): string {
  const typed = message.replaceAll(/\bsettings[.]([a-z_]+)/g, (_, name: string) => `--${name.replaceAll('_', '-')}`);
  return printable(typed);
}
