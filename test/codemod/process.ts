/**
 * Runs the local server as agents start it: `imagecrew mcp --root` in a separate process, with a client of the MCP
 * SDK.
 */
import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { type CallToolResult, Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { type McpRevision, speaking } from '../support/mcp-revisions.ts';
import { LOADER, program } from '../support/repository.ts';
import type { Structured } from './desk.ts';

export const COMMAND: readonly string[] = [...LOADER, fileURLToPath(program('cli/main')), 'mcp'];

/** Timeout of a call. It is long because other processes use the machine too. */
const CALL_TIMEOUT_MS = 240_000;

export class LocalProcess {
  readonly #client: Client;
  readonly #transport: StdioClientTransport;

  constructor(client: Client, transport: StdioClientTransport) {
    this.#client = client;
    this.#transport = transport;
  }

  async send(name: string, args: Structured = {}): Promise<CallToolResult> {
    const asked = { name, arguments: args };
    return (await this.#client.callTool(asked, { timeout: CALL_TIMEOUT_MS })) as CallToolResult;
  }

  async call(name: string, args: Structured = {}): Promise<Structured> {
    const { structuredContent, isError } = await this.send(name, args);
    assert.ok(!isError, JSON.stringify(structuredContent));
    return structuredContent as Structured;
  }

  /** Kills the process at once, as a power cut would. */
  async kill(): Promise<void> {
    const closed = new Promise<void>((resolve) => {
      this.#client.onclose = resolve;
    });
    process.kill(this.#transport.pid!, 'SIGKILL');
    await closed;
  }
}

export interface LocalProcessOptions {
  env?: Record<string, string>;
  /** After `--root`. */
  args?: readonly string[];
  /** Of MCP, that the client speaks. */
  revision?: McpRevision;
  /** Arguments of Node; by default they start `imagecrew mcp`. */
  command?: readonly string[];
}

/** Runs `work` with a process on a folder. Afterwards the process is ended as clients do it: by closing its input. */
export async function withLocalProcess<T>(
  root: string,
  work: (local: LocalProcess) => Promise<T>,
  { env = {}, args = [], revision = '2025-11-25', command = COMMAND }: LocalProcessOptions = {},
): Promise<T> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [...command, '--root', root, ...args],
    env: { ...(process.env as Record<string, string>), ...env },
    stderr: 'pipe',
  });
  const client = new Client({ name: 'test', version: '1' }, speaking(revision));
  const errors: unknown[] = [];
  const messages: string[] = [];
  // Anything on the standard output that is not a message is an error.
  client.onerror = (error) => errors.push(error);
  transport.stderr?.on('data', (chunk: Buffer) => messages.push(String(chunk)));
  await client.connect(transport);
  try {
    const result = await work(new LocalProcess(client, transport));
    assert.deepEqual(errors, []);
    assert.equal(messages.join(''), '');
    return result;
  } finally {
    await client.close();
  }
}
