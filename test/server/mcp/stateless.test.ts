/** Tests revision 2026-07-28 of MCP, in which every request names its revision and what the client can do. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { speaking } from '../../support/mcp-revisions.ts';
import { eventsOf } from '../../support/server-sent-events.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { type Agent, type Agents, createDeferred, withAgents } from './agents.ts';

const REVISION = '2026-07-28';

const PIXEL = Buffer.from('not read by the engine of tests').toString('base64');

const ENVELOPE = {
  'io.modelcontextprotocol/protocolVersion': REVISION,
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** A request with everything that the revision requires. */
function request(method: string, params: object = {}, meta: object = {}) {
  const message = { jsonrpc: '2.0', id: 7, method, params: { ...params, _meta: { ...ENVELOPE, ...meta } } };
  const headers: Record<string, string> = { 'mcp-protocol-version': REVISION, 'mcp-method': method };
  if ('name' in params) headers['mcp-name'] = String(params.name);
  return { message, headers };
}

const compress = (meta: object = {}) =>
  request('tools/call', { name: 'compress_image', arguments: { data_base64: PIXEL } }, meta);

const stateless = (agents: Agents, fetchFn?: typeof fetch): Promise<Agent> =>
  agents.agent(undefined, fetchFn, speaking(REVISION));

async function codeOf(answer: Response): Promise<[number, unknown]> {
  return [answer.status, ((await answer.json()) as { error: { code: unknown } }).error.code];
}

describe('the hosted MCP server, for clients of revision 2026-07-28', { timeout: 120_000 }, () => {
  it('serves the tools without sessions', async () => {
    await withAgents(async (agents) => {
      const one = await stateless(agents);
      assert.equal(one.client.getNegotiatedProtocolVersion(), REVISION);
      assert.equal(one.client.getServerVersion()?.name, 'imagecrew');
      assert.match(one.client.getInstructions() ?? '', /get_agent_prompt/);
      const older = await agents.agent();
      assert.deepEqual((await one.client.listTools()).tools, (await older.client.listTools()).tools);
      const { structuredContent, text, isError } = await one.call('compress_image', { data_base64: PIXEL });
      assert.equal(isError, undefined);
      assert.equal((structuredContent.result as { format: string }).format, 'webp', text);
      assert.equal(await one.codeOf('compress_image', { data_base64: PIXEL, quality: 101 }), 'invalid_parameter');
      await assert.rejects(
        one.client.callTool({ name: 'delete_everything' }),
        /Expected the name of a tool for name but received "delete_everything"/,
      );
      assert.equal((await agents.used()).requests, 1);
    });
  });

  it('sends the headers of the service', async () => {
    await withAgents(async ({ post }) => {
      const { message, headers } = compress();
      const answer = await post(message, headers);
      assert.equal(answer.status, 200);
      assert.match(answer.headers.get('content-type') ?? '', /^application\/json/);
      assert.equal(answer.headers.get('x-quota-meter'), 'requests');
      assert.match(answer.headers.get('ratelimit') ?? '', /"month";r=999;/);
      assert.equal(answer.headers.get('cache-control'), 'no-store');
      assert.equal(answer.headers.get('mcp-session-id'), null);
      const { result } = (await answer.json()) as { result: { resultType: string } };
      assert.equal(result.resultType, 'complete');
    });
  });

  it('streams if progress is requested and the client accepts it', async () => {
    await withAgents(async ({ post }) => {
      const { message, headers } = compress({ progressToken: 'p' });
      const stream = await post(message, headers);
      assert.match(stream.headers.get('content-type') ?? '', /^text\/event-stream/);
      assert.equal(stream.headers.get('x-accel-buffering'), 'no');
      assert.equal(stream.headers.get('cache-control'), 'no-store');
      assert.equal(stream.headers.get('x-quota-meter'), null);
      const messages: unknown[] = [];
      for await (const { data } of eventsOf(stream)) {
        const { method, id }: { method?: string; id?: number } = data;
        messages.push(method ?? id);
      }
      assert.deepEqual(messages, ['notifications/progress', 'notifications/progress', 7]);
      const plain = await post(message, { ...headers, accept: 'application/json' });
      assert.match(plain.headers.get('content-type') ?? '', /^application\/json/);
      assert.equal(((await plain.json()) as { id: number }).id, 7);
    });
  });

  it('cancels a call when the client closes the connection', async () => {
    await withAgents(async (agents) => {
      const one = await stateless(agents);
      for (const onprogress of [undefined, () => {}]) {
        const begun = createDeferred();
        agents.engine.behave = ({ options: { signal } }) => {
          begun.open();
          return new Promise((_resolve, reject) => {
            signal?.addEventListener('abort', () => reject(signal.reason));
          });
        };
        const leaving = new AbortController();
        const options = { signal: leaving.signal, ...(onprogress && { onprogress }) };
        const running = one.call('compress_image', { data_base64: PIXEL }, options);
        await begun.opened;
        leaving.abort('enough');
        await assert.rejects(running, /enough/);
      }
      await waitUntil(async () => (await agents.used()).failed === 2);
      assert.deepEqual(await agents.used(), { requests: 0, ai: 0, failed: 2 });
      await agents.http.drain(60_000);
      assert.equal(agents.services.uploads.heldBytes, 0);
    });
  });

  it('refuses requests whose headers and body do not fit', async () => {
    await withAgents(async ({ post, engine }) => {
      const { message, headers } = compress();
      const without = (name: string) => Object.fromEntries(Object.entries(headers).filter(([each]) => each !== name));
      for (const name of Object.keys(headers))
        assert.deepEqual(await codeOf(await post(message, without(name))), [400, -32020], name);
      for (const other of [
        { 'mcp-method': 'tools/list' },
        { 'mcp-name': 'get_usage' },
        { 'mcp-protocol-version': '2025-11-25' },
      ])
        assert.deepEqual(await codeOf(await post(message, { ...headers, ...other })), [400, -32020]);
      const { _meta, ...params } = message.params;
      assert.deepEqual(await codeOf(await post({ ...message, params }, headers)), [400, -32602]);
      const { 'io.modelcontextprotocol/clientCapabilities': _, ...rest } = _meta;
      assert.deepEqual(
        await codeOf(await post({ ...message, params: { ...params, _meta: rest } }, headers)),
        [400, -32602],
      );
      assert.equal(engine.calls.length, 0);
    });
  });

  it('names its revisions to a client of an unknown one', async () => {
    await withAgents(async ({ post }) => {
      const version = '2099-01-01';
      const { message, headers } = request('tools/list', {}, { 'io.modelcontextprotocol/protocolVersion': version });
      const answer = await post(message, { ...headers, 'mcp-protocol-version': version });
      const { error } = (await answer.json()) as { error: { code: number; data: unknown } };
      assert.deepEqual(
        [answer.status, error.code, error.data],
        [400, -32022, { supported: [REVISION], requested: version }],
      );
    });
  });

  it('has no methods of sessions', async () => {
    await withAgents(async ({ post, logged }) => {
      for (const method of ['initialize', 'ping', 'logging/setLevel', 'resources/list']) {
        const { message, headers } = request(method);
        assert.deepEqual(await codeOf(await post(message, headers)), [404, -32601], method);
      }
      assert.equal(logged().at(-1)?.error, 'invalid_request');
    });
  });

  it('acknowledges a subscription and ends it, because nothing changes', async () => {
    await withAgents(async ({ post }) => {
      const { message, headers } = request('subscriptions/listen', { notifications: { toolsListChanged: true } });
      const frames: unknown[] = [];
      for await (const { data } of eventsOf(await post(message, headers))) {
        const { method, params, id }: { method?: string; params?: { notifications: object }; id?: number } = data;
        frames.push(method === undefined ? id : [method, params?.notifications]);
      }
      assert.deepEqual(frames, [['notifications/subscriptions/acknowledged', {}], 7]);
    });
  });

  it('accepts notifications without a response', async () => {
    await withAgents(async ({ post }) => {
      const method = 'notifications/cancelled';
      const headers = { 'mcp-protocol-version': REVISION, 'mcp-method': method };
      const answer = await post({ jsonrpc: '2.0', method, params: { requestId: 3 } }, headers);
      assert.deepEqual([answer.status, await answer.text()], [202, '']);
    });
  });
});
