/** What the programs have in common: `imagecrew`, and the one that only has its local MCP server. */
import { Command, CommanderError } from 'commander';
import { Failure, withHint } from '../base/failure.ts';
import { packageVersion } from '../server/version.ts';
import { ExitStatus, FAILED, WRONG_USAGE } from './exit-status.ts';
import type { Io } from './io.ts';

/** Creates a program without commands. It writes to `io` and throws where Commander would end the process. */
export const createCommand = (name: string, io: Io): Command =>
  new Command(name).version(packageVersion()).exitOverride().configureOutput({ writeOut: io.out, writeErr: io.err });

/**
 * Runs one command.
 * @param args arguments without the program's own name
 * @returns the exit status: 0 for success, 1 for failure, 2 for wrong usage, or the status of an ExitStatus
 */
export async function runProgram(
  create: () => Command | Promise<Command>,
  args: readonly string[],
  io: Io,
): Promise<number> {
  try {
    const program = await create();
    await program.parseAsync(args, { from: 'user' });
    return 0;
  } catch (error) {
    // Commander has already printed the error or the requested help.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : WRONG_USAGE;
    if (error instanceof ExitStatus) return error.status;
    io.err(`${errorMessage(error)}\n`);
    return FAILED;
  }
}

function errorMessage(error: unknown): string {
  if (error instanceof Failure) return withHint(error);
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
