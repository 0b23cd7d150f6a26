/** The command line: one file per group of commands. */
import { Command, CommanderError } from 'commander';
import { Failure } from '../../base/failure.ts';
import { addAccountCommands } from './admin-account.ts';
import { addKeyCommands } from './admin-key.ts';
import { addPackageCommands } from './admin-package.ts';
import { addConfigCommand } from './config.ts';
import { addDoctorCommand } from './doctor.ts';
import type { Io } from './io.ts';
import { addModelsCommands } from './models.ts';
import { addServeCommand } from './serve.ts';
import { packageVersion } from './version.ts';

const FAILED = 1;
const WRONG_USAGE = 2;

function createProgram(io: Io): Command {
  const program = new Command('imagecrew')
    .description('Image processing service')
    .version(packageVersion())
    .exitOverride()
    .configureOutput({ writeOut: io.out, writeErr: io.err });
  addServeCommand(program, io);
  addConfigCommand(program, io);
  addDoctorCommand(program, io);
  addModelsCommands(program, io);
  const admin = program.command('admin').description('accounts, keys and packages; works while the service runs');
  addAccountCommands(admin, io);
  addKeyCommands(admin, io);
  addPackageCommands(admin, io);
  return program;
}

/**
 * Runs one command to its end.
 * @param args without the program's own name
 * @returns the exit status: 0, 1 when the command failed, 2 when it was called wrongly
 */
export async function runCli(args: readonly string[], io: Io): Promise<number> {
  try {
    await createProgram(io).parseAsync(args, { from: 'user' });
    return 0;
  } catch (error) {
    // Commander has said what is wrong, or printed the help that was asked for.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : WRONG_USAGE;
    io.err(`${sentenceFor(error)}\n`);
    return FAILED;
  }
}

function sentenceFor(error: unknown): string {
  if (error instanceof Failure) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
