import assert from 'node:assert/strict';
import type { Shell } from './shell.ts';

/** Starts the local MCP server and asks for its tools, as an agent does. */
export async function startMcp(shell: Shell): Promise<undefined> {
  const server = shell.start('npx', ['imagecrew', 'mcp', '--root', '.']);
  const send = (message: object) => server.child.stdin!.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const initialized = server.line(/(.*"id":1\b.*)\n/);
  const clientInfo = { name: 'try-package', version: '1' };
  send({ id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo } });
  assert.match(await initialized, /"serverInfo"/);
  send({ method: 'notifications/initialized' });
  const listed = server.line(/(.*"id":2\b.*)\n/);
  send({ id: 2, method: 'tools/list' });
  assert.match(await listed, /"inputSchema"/);
  server.child.stdin!.end();
  await server.end('SIGTERM');
  return undefined;
}
