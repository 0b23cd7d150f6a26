/** Entry point of the program `imagecrew`. */
import { applyMemorySettings } from './memory-settings.ts';

const args = process.argv.slice(2);
const endedWith = args[0] === 'serve' ? await applyMemorySettings() : undefined;
process.exitCode = endedWith ?? (await runProgram());

/** Loads the program only here: a process that starts `serve` again does not need it. */
async function runProgram(): Promise<number> {
  const [{ processIo }, { runCli }] = await Promise.all([import('./process-io.ts'), import('./program.ts')]);
  return await runCli(args, processIo());
}
