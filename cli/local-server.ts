/**
 * Entry point of the program that only has the local MCP server. Services hand it out at /mcp-local.tgz
 * (server/sites/local-server.ts), for projects on machines without an installation.
 */
import { addMcpCommand } from './mcp.ts';
import { processIo } from './process-io.ts';
import { createCommand, runProgram } from './run-program.ts';

const io = processIo();
const create = () => {
  const program = createCommand('imagecrew-mcp-local', io);
  addMcpCommand(program, io);
  return program;
};

process.exitCode = await runProgram(create, process.argv.slice(2), io);
