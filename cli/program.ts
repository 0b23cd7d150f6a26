/** The command line. Each group of commands has its own file. */
import type { Command } from 'commander';
import type { Io } from './io.ts';
import { createCommand, runProgram } from './run-program.ts';

interface Group {
  /** First arguments that select this group. */
  names: readonly string[];
  load(): Promise<(program: Command, io: Io) => void>;
}

/**
 * Groups in the order of the help. Each is loaded only when needed: a command should not load the database of another.
 */
const GROUPS: readonly Group[] = [
  { names: ['serve'], load: async () => (await import('./serve.ts')).addServeCommand },
  { names: ['config'], load: async () => (await import('./config.ts')).addConfigCommand },
  { names: ['doctor'], load: async () => (await import('./doctor.ts')).addDoctorCommand },
  // Which commands these are is known only after loading them.
  {
    names: [],
    async load() {
      const { IMAGE_COMMANDS, imageCommandsAdder } = await import('./images/commands.ts');
      return imageCommandsAdder(IMAGE_COMMANDS);
    },
  },
  { names: ['scan'], load: async () => (await import('./scan.ts')).addScanCommand },
  { names: ['optimize'], load: async () => (await import('./optimize.ts')).addOptimizeCommand },
  { names: ['mcp'], load: async () => (await import('./mcp.ts')).addMcpCommand },
  { names: ['sign'], load: async () => (await import('./sign.ts')).addSignCommand },
  { names: ['models'], load: async () => (await import('./models.ts')).addModelsCommands },
  { names: ['admin'], load: async () => (await import('./admin.ts')).addAdminCommands },
  // Has no names, so that all groups are loaded: completion needs every command.
  { names: [], load: async () => (await import('./completion.ts')).addCompletionCommand },
];

const NEXT_STEPS = `
imagecrew help COMMAND explains a command. Commands on images need no server. IC_ variables of the environment are the
settings; imagecrew config lists them.`;

/** @param args if the first argument names no group, all commands are loaded, for help and suggestions */
async function createProgram(io: Io, args: readonly string[]): Promise<Command> {
  const program = createCommand('imagecrew', io)
    .description('Image processing service')
    .addHelpText('after', NEXT_STEPS);
  for (const { load } of await groupsFor(args[0] ?? '')) (await load())(program, io);
  return program;
}

async function groupsFor(name: string): Promise<readonly Pick<Group, 'load'>[]> {
  if (name === '--version') return [];
  const asked = GROUPS.filter(({ names }) => names.includes(name));
  if (asked.length > 0) return asked;
  const { IMAGE_COMMANDS, imageCommandsAdder } = await import('./images/commands.ts');
  return IMAGE_COMMANDS.includes(name) ? [{ load: () => imageCommandsAdder([name]) }] : GROUPS;
}

/**
 * Runs one command.
 * @param args arguments without the program's own name
 * @returns the exit status
 */
export const runCli = (args: readonly string[], io: Io): Promise<number> =>
  runProgram(() => createProgram(io, args), args, io);
