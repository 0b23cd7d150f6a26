import type { Command } from 'commander';
import { packageVersion } from '../server/version.ts';
import type { Io } from './io.ts';
import { STOP_SIGNALS } from './stoppable.ts';

const LOCAL_SERVICE = 'http://127.0.0.1:8080';

/** Adds the command that runs the local MCP server. Standard output carries only the protocol. */
export function addMcpCommand(program: Command, io: Io): void {
  program
    .command('mcp')
    .description('serve the tools that replace the images of a project, for an agent (MCP over stdio)')
    .requiredOption('--root <folder>', 'folder of the project; nothing outside it is read or written')
    .option('--base-url <url>', 'service that packages are downloaded from', io.env.IC_BASE_URL ?? LOCAL_SERVICE)
    .addHelpText('after', '\nIC_API_KEY holds the key to download a package by the id of its scan.')
    .action(async ({ root, baseUrl }: { root: string; baseUrl: string }) => {
      const stop = new AbortController();
      for (const name of STOP_SIGNALS) process.once(name, () => stop.abort());
      const [{ createLocalServer }, { serveOverStdio }] = await Promise.all([
        import('../codemod/server.ts'),
        import('../mcp/stdio.ts'),
      ]);
      const createServer = await createLocalServer({
        root,
        baseUrl,
        key: io.env.IC_API_KEY,
        env: io.env,
        version: packageVersion(),
        onFault: (error) => io.err(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`),
      });
      await serveOverStdio(createServer, { input: process.stdin, output: process.stdout, signal: stop.signal });
    });
}
