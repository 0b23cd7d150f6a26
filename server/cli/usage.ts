import type { Command } from 'commander';
import { Failure } from '../../base/failure.ts';
import { printable } from './images/texts.ts';

/**
 * What does not go together, or is no value of its option, is wrong usage.
 * @param said the sentence of a failure as the command line says it
 */
export async function asUsage<T>(command: Command, work: () => Promise<T>, said = printable): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Failure) return command.error(said(error.message));
    throw error;
  }
}
