/** Tests how a tool asks the user, with the messages of a client of revision 2026-07-28. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { InMemoryTransport, type JSONRPCMessage } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';
import { createMcpServer } from '../../mcp/sdk-server.ts';
import { tool } from '../../mcp/tool.ts';

const input = z.object({ file: z.string() });
const output = z.object({ approved: z.boolean().nullable() });

/** A tool that only asks. Null if it cannot. */
const asking = tool<undefined, typeof input, typeof output>({
  name: 'ask',
  title: 'Ask',
  description: 'Asks.',
  input,
  output,
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  async run({ file }, _context, { ask }) {
    return { structured: { approved: ask ? await ask(`Delete ${file}?`) : null }, text: 'Asked.' };
  },
});

interface Answer {
  result?: {
    resultType: string;
    structuredContent?: { approved: boolean | null };
    inputRequests?: { approval: { method: string; params: object } };
    requestState?: string;
  };
  error?: { code: number };
}

type Ask = (file: string, retry?: object, capabilities?: object) => Promise<Answer>;

/** Runs `work` with a client of a new server. */
async function withClient(work: (ask: Ask) => Promise<void>): Promise<void> {
  const [here, there] = InMemoryTransport.createLinkedPair();
  const options = { name: 'test', version: '1', instructions: '' };
  const connection = serveStdio(({ era }) => createMcpServer([asking], undefined, { ...options, era }), {
    transport: there,
  });
  const waiting = new Map<unknown, (answer: Answer) => void>();
  here.onmessage = (message: JSONRPCMessage) => {
    if ('id' in message) waiting.get(message.id)?.(message as Answer);
  };
  await here.start();
  let id = 0;
  try {
    await work((file, retry = {}, capabilities = { elicitation: { form: {} } }) => {
      id += 1;
      const _meta = {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientCapabilities': capabilities,
      };
      const params = { name: 'ask', arguments: { file }, ...retry, _meta };
      return new Promise((resolve, reject) => {
        waiting.set(id, resolve);
        here.send({ jsonrpc: '2.0', id, method: 'tools/call', params }).catch(reject);
      });
    });
  } finally {
    await connection.close();
  }
}

const answered = (action: string, requestState?: string) => ({
  inputResponses: { approval: { action } },
  ...(requestState !== undefined && { requestState }),
});

describe('a tool that asks the user', () => {
  it('ends its call with the question, and starts again with the answer', async () => {
    await withClient(async (ask) => {
      const { result } = await ask('a.html');
      assert.equal(result?.resultType, 'input_required');
      assert.deepEqual(result?.inputRequests?.approval, {
        method: 'elicitation/create',
        params: {
          mode: 'form',
          message: 'Delete a.html?',
          requestedSchema: { type: 'object', properties: {} },
        },
      });
      for (const [action, approved] of [
        ['accept', true],
        ['decline', false],
        ['cancel', false],
      ] as const) {
        const retried = await ask('a.html', answered(action, result?.requestState));
        assert.deepEqual(retried.result?.structuredContent, { contract_version: 1, approved }, action);
      }
    });
  });

  it('accepts an answer only to the question that it has asked', async () => {
    await withClient(async (ask) => {
      const { result } = await ask('a.html');
      const state = result?.requestState ?? '';
      for (const [file, retry] of [
        ['a.html', answered('accept')],
        ['b.html', answered('accept', state)],
        ['a.html', { requestState: state }],
      ] as const)
        assert.equal((await ask(file, retry)).result?.resultType, 'input_required', file);
      const forged = `${state.slice(0, -2)}${state.endsWith('AA') ? 'BB' : 'AA'}`;
      assert.equal((await ask('a.html', answered('accept', forged))).error?.code, -32602);
    });
  });

  it('does not ask through clients that cannot show a question', async () => {
    await withClient(async (ask) => {
      for (const capabilities of [{}, { elicitation: { url: {} } }])
        assert.equal((await ask('a.html', {}, capabilities)).result?.structuredContent?.approved, null);
      assert.equal((await ask('a.html', {}, { elicitation: {} })).result?.resultType, 'input_required');
    });
  });
});
