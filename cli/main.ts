/** Entry point of the program `imagecrew`. */
import { processIo } from './process-io.ts';
import { runCli } from './program.ts';

process.exitCode = await runCli(process.argv.slice(2), processIo());
