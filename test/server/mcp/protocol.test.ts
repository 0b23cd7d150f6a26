/** Tests /api/mcp as an HTTP endpoint and as an MCP server, independently of its tools. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { LATEST_PROTOCOL_VERSION } from '@modelcontextprotocol/server';
import { OPERATIONS } from '../../../engine/operations/registry.ts';
import { eventsOf } from '../../support/server-sent-events.ts';
import { sendRaw } from '../../support/socket.ts';
import { verifies } from '../../support/verifies.ts';
import { createDeferred, withAgents } from './agents.ts';
import { MAX_LIST_BYTES } from './facts.ts';

const call = (name: string, args: object = {}, rest: object = {}) => ({
  jsonrpc: '2.0',
  id: 7,
  method: 'tools/call',
  params: { name, arguments: args, ...rest },
});
const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
const PIXEL = Buffer.from('not read by the engine of tests').toString('base64');

const NAMES = [
  ...OPERATIONS.flatMap(({ agentTools = [] }) => agentTools.map(({ name }) => name)),
  'optimize_website',
  'get_website_report',
  'get_usage',
  'list_website_scans',
  'get_website_scan',
  'list_website_pages',
  'list_website_assets',
  'get_replacement_mapping',
  'get_agent_prompt',
];

async function codeOf(answer: Response): Promise<[number, unknown]> {
  return [answer.status, ((await answer.json()) as { error: { code: unknown } }).error.code];
}

describe('the hosted MCP server', { timeout: 120_000 }, () => {
  it('lists its tools in a fixed order, with strict schemas and with hints', async () => {
    verifies('mcp.endpoint', 'mcp.sites.read-only');
    await withAgents(async ({ agent }) => {
      const { client } = await agent();
      const { tools } = await client.listTools();
      assert.deepEqual(
        tools.map(({ name }) => name),
        NAMES,
      );
      for (const { name, title, description, inputSchema, outputSchema, annotations } of tools) {
        assert.ok(title && description, name);
        assert.equal(inputSchema.additionalProperties, false, name);
        assert.ok(outputSchema, name);
        const { contract_version } = outputSchema.properties as Record<string, unknown>;
        assert.deepEqual(contract_version, { type: 'integer', const: 1 }, name);
        assert.ok(!JSON.stringify(inputSchema).includes('"x-'), name);
        const changes = ['compress_image', 'convert_image', 'remove_background', 'optimize_website'].includes(name);
        assert.deepEqual(
          annotations,
          {
            title,
            readOnlyHint: !changes,
            destructiveHint: false,
            idempotentHint: !changes,
            openWorldHint: changes,
          },
          name,
        );
      }
      const properties = (name: string) =>
        Object.keys(tools.find((tool) => tool.name === name)?.inputSchema.properties ?? {});
      const image = ['url', 'data_base64', 'include_image'];
      assert.deepEqual(
        properties('compress_image').sort(),
        [...image, 'filename', 'mode', 'quality', 'target_bytes', 'format', 'width', 'height', 'metadata'].sort(),
      );
      assert.deepEqual(
        properties('convert_image').sort(),
        [...image, 'format', 'quality', 'background', 'page'].sort(),
      );
      assert.deepEqual(
        properties('remove_background').sort(),
        [...image, 'background', 'format', 'refine', 'frame', 'subject_fill'].sort(),
      );
      assert.deepEqual(properties('optimize_website'), ['url', 'quality', 'max_pages']);
      assert.deepEqual(properties('get_website_report'), ['id', 'wait', 'fields', 'offset', 'limit']);
      assert.ok(JSON.stringify(tools).length < MAX_LIST_BYTES);
      assert.deepEqual(tools.find(({ name }) => name === 'convert_image')?.inputSchema.required, ['format']);
    });
  });

  it('supports the newest revision that it knows, and older ones', async () => {
    await withAgents(async ({ post }) => {
      for (const [asked, answered] of [
        ['2025-06-18', '2025-06-18'],
        ['2025-03-26', '2025-03-26'],
        [LATEST_PROTOCOL_VERSION, LATEST_PROTOCOL_VERSION],
        ['2099-01-01', LATEST_PROTOCOL_VERSION],
      ]) {
        const params = { protocolVersion: asked, capabilities: {}, clientInfo: { name: 'a', version: '1' } };
        const answer = await post({ jsonrpc: '2.0', id: 0, method: 'initialize', params });
        const { result } = (await answer.json()) as { result: { protocolVersion: string; capabilities: object } };
        assert.deepEqual([result.protocolVersion, result.capabilities], [answered, { tools: {} }]);
        assert.match(answer.headers.get('mcp-session-id') ?? '', /^[0-9a-f-]{36}$/);
      }
      for (const version of ['2025-06-18', LATEST_PROTOCOL_VERSION])
        assert.equal((await post(LIST, { 'mcp-protocol-version': version })).status, 200, version);
      assert.deepEqual(await codeOf(await post(LIST, { 'mcp-protocol-version': '2099-01-01' })), [400, -32600]);
    });
  });

  it('requires a key like every endpoint, and says what is left', async () => {
    verifies('mcp.key');
    await withAgents(async ({ post, call: request, key }) => {
      const none = await request('/api/mcp', { method: 'POST', headers: { authorization: '' } });
      assert.equal(none.headers.get('www-authenticate'), 'Bearer');
      assert.deepEqual(await codeOf(none), [401, 'missing_key']);
      const wrong = await post(LIST, { authorization: `Bearer ${key.slice(0, -1)}` });
      assert.equal(wrong.headers.get('www-authenticate'), 'Bearer');
      assert.deepEqual(await codeOf(wrong), [401, 'invalid_key']);
      const listed = await post(LIST);
      assert.match(listed.headers.get('ratelimit') ?? '', /^"minute";r=119;t=\d+, "month";r=1000;/);
      assert.equal(listed.headers.get('x-quota-meter'), 'none');
      const made = await post(call('compress_image', { data_base64: PIXEL }));
      assert.equal(made.headers.get('x-quota-meter'), 'requests');
      assert.match(made.headers.get('ratelimit') ?? '', /"month";r=999;/);
      assert.equal(made.headers.get('cache-control'), 'no-store');
    });
  });

  it('counts requests per minute together with those of the REST API', async () => {
    await withAgents(async ({ post, services, key }) => {
      const { account } = await services.authenticate(`Bearer ${key}`);
      for (let n = 0; n < 120; n += 1) await services.rates.count(account);
      const refused = await post(LIST);
      assert.ok(Number(refused.headers.get('retry-after')) > 0);
      assert.deepEqual(await codeOf(refused), [429, 'rate_limited']);
    });
  });

  it('accepts only POST, because it keeps no sessions', async () => {
    await withAgents(async ({ call: request }) => {
      for (const method of ['GET', 'DELETE', 'PUT', 'PATCH']) {
        const answer = await request('/api/mcp', { method });
        assert.equal(answer.headers.get('allow'), 'POST', method);
        assert.deepEqual(await codeOf(answer), [405, 'method_not_allowed']);
      }
    });
  });

  it('refuses other origins, and host names that may be rebound by DNS', async () => {
    const env = { IC_CORS_ORIGINS: 'https://app.example.org' };
    await withAgents(
      async ({ post, port, key, origin }) => {
        for (const [own, status] of [
          ['https://app.example.org', 200],
          ['https://images.example.com', 200],
          [origin, 200],
          ['https://evil.example.org', 403],
          ['https://app.example.org.evil.example', 403],
          [origin.replace(/\d+$/, '1'), 403],
          ['null', 403],
        ] as const)
          assert.equal((await post(LIST, { origin: own })).status, status, own);
        const ask = async (host: string, ownOrigin?: string) => {
          const body = JSON.stringify(LIST);
          const head = [
            'POST /api/mcp HTTP/1.1',
            `Host: ${host}`,
            `Authorization: Bearer ${key}`,
            'Content-Type: application/json',
            `Content-Length: ${body.length}`,
            'Connection: close',
            ...(ownOrigin ? [`Origin: ${ownOrigin}`] : []),
          ];
          return (await sendRaw(port, `${head.join('\r\n')}\r\n\r\n${body}`)).status;
        };
        for (const host of [
          'localhost:1',
          'app.localhost',
          '127.0.0.1',
          '192.168.1.7:8080',
          '[::1]:80',
          'images.example.com',
        ])
          assert.equal(await ask(host), 200, host);
        for (const host of [
          'evil.example.com',
          'localhost.evil.example',
          '127.0.0.1.evil.example',
          'images.example.com.evil.example',
        ])
          assert.equal(await ask(host), 403, host);
        // DNS rebinding: a page on a rebound name sends that name in both Host and Origin.
        assert.equal(await ask('evil.example.com', 'http://evil.example.com'), 403);
        assert.equal(await ask('localhost:8080', 'http://localhost:8080'), 200);
      },
      { env },
    );
  });

  it('refuses invalid messages', async () => {
    await withAgents(async ({ post, engine }) => {
      assert.deepEqual(await codeOf(await post('{"jsonrpc":')), [400, -32700]);
      assert.deepEqual(await codeOf(await post('')), [400, -32700]);
      assert.deepEqual(await codeOf(await post('7')), [400, -32600]);
      assert.deepEqual(await codeOf(await post({ jsonrpc: '1.0', id: 1, method: 'ping' })), [400, -32600]);
      assert.deepEqual(await codeOf(await post([LIST, LIST])), [400, -32600]);
      assert.deepEqual(await codeOf(await post(LIST, { 'content-type': 'text/plain' })), [
        415,
        'unsupported_media_type',
      ]);
      const most = Math.ceil(4_000_000 / 3) * 4;
      const huge = await post(call('compress_image', { data_base64: 'A'.repeat(most + 66_000) }));
      assert.deepEqual(await codeOf(huge), [413, 'file_too_large']);
      // Large structured arguments, which are not an image, would block the thread for all clients.
      const keys = (count: number) =>
        Object.fromEntries(Array.from({ length: count }, (_, n) => [`${n}`, 'A'.repeat(20)]));
      const arrays = `${JSON.stringify(call('get_usage', {})).slice(0, -1)},"more":[${'[],'.repeat(30_000)}0]}`;
      for (const structured of [call('get_usage', keys(6000)), arrays])
        assert.deepEqual(await codeOf(await post(structured)), [400, 'invalid_request']);
      assert.equal((await post(call('get_usage', keys(2000)))).status, 200);
      // Only the text of the image may be long.
      const elsewhere = await post(call('compress_image', { filename: 'A'.repeat(100_000) }));
      assert.deepEqual(await codeOf(elsewhere), [400, 'invalid_request']);
      // The id would be repeated in every notification.
      assert.deepEqual(await codeOf(await post({ ...LIST, id: 'A'.repeat(300) })), [400, -32600]);
      assert.equal(engine.calls.length, 0);
    });
  });

  it('returns protocol errors for unknown tools, unknown methods and malformed calls', async () => {
    await withAgents(async ({ post }) => {
      const errorOf = async (message: object) =>
        ((await (await post(message)).json()) as { error: { code: number; message: string } }).error;
      const unknown = await errorOf(call('delete_everything'));
      assert.equal(unknown.code, -32602);
      assert.match(unknown.message, /Expected the name of a tool for name but received "delete_everything"/);
      assert.equal((await errorOf({ ...LIST, method: 'resources/list' })).code, -32601);
      assert.equal((await errorOf({ ...LIST, method: 'tools/call', params: {} })).code, -32602);
      assert.equal(
        (await errorOf({ ...LIST, method: 'tools/call', params: { name: 'get_usage', arguments: 3 } })).code,
        -32602,
      );
    });
  });

  it('explains invalid arguments, and does nothing', async () => {
    await withAgents(async ({ agent, engine, used }) => {
      const agent1 = await agent();
      const message = async (name: string, args: object) => {
        const { structuredContent } = await agent1.call(name, args);
        return `${structuredContent.error?.code}: ${structuredContent.error?.message} ${structuredContent.error?.hint}`;
      };
      assert.equal(
        await message('compress_image', { data_base64: PIXEL, quality: 101 }),
        'invalid_parameter: Expected an integer from 1 to 100 for quality but received 101. Correct the value that `param` names.',
      );
      assert.match(await message('compress_image', { data_base64: PIXEL, qualty: 80 }), /Did you mean quality\?/);
      assert.match(await message('compress_image', { data_base64: PIXEL, watermark_text: 'x' }), /^invalid_parameter/);
      assert.match(await message('convert_image', { data_base64: PIXEL }), /for format but received nothing/);
      assert.match(await message('convert_image', { data_base64: PIXEL, format: 'auto' }), /received "auto"/);
      assert.match(
        await message('remove_background', { data_base64: PIXEL, background: 'image' }),
        /transparent, a colour/,
      );
      assert.match(await message('compress_image', {}), /^missing_image/);
      assert.match(await message('compress_image', { data_base64: '' }), /^missing_image/);
      assert.match(
        await message('compress_image', { data_base64: PIXEL, url: 'https://example.com/a.png' }),
        /^conflicting/,
      );
      assert.match(
        await message('compress_image', { data_base64: 'data:image/png;base64,AAAA' }),
        /^invalid_parameter.*base64/,
      );
      assert.match(await message('compress_image', { data_base64: PIXEL.slice(0, -1) }), /^invalid_parameter.*base64/);
      assert.match(await message('compress_image', { url: 'ftp://example.com/a.png' }), /^invalid_url/);
      assert.match(await message('compress_image', { data_base64: PIXEL, mode: 'target' }), /target_bytes/);
      assert.match(await message('get_website_report', { id: 'opt_1', limit: 201 }), /from 1 to 200 for limit/);
      assert.match(await message('get_replacement_mapping', { scan_id: 'scan_1', limit: 501 }), /from 1 to 500/);
      assert.match(await message('list_website_scans', { limit: 3 }), /name of a parameter/);
      assert.deepEqual([engine.calls.length, await used()], [0, { requests: 0, ai: 0, failed: 0 }]);
    });
  });

  it('responds with JSON, or with a stream if progress is requested', async () => {
    await withAgents(async ({ post }) => {
      const json = await post(call('compress_image', { data_base64: PIXEL }));
      assert.match(json.headers.get('content-type') ?? '', /^application\/json/);
      const asked = call('compress_image', { data_base64: PIXEL }, { _meta: { progressToken: 'p' } });
      const stream = await post(asked);
      assert.match(stream.headers.get('content-type') ?? '', /^text\/event-stream/);
      assert.equal(stream.headers.get('x-accel-buffering'), 'no');
      assert.equal(stream.headers.get('x-quota-meter'), null);
      assert.match(stream.headers.get('ratelimit') ?? '', /"month"/);
      const messages: unknown[] = [];
      for await (const { data } of eventsOf(stream)) {
        const { method, id }: { method?: string; id?: number } = data;
        messages.push(method ?? id);
      }
      assert.deepEqual(messages, ['notifications/progress', 'notifications/progress', 7]);
      // The client does not accept an event stream, so it receives JSON.
      const plain = await post(asked, { accept: 'application/json' });
      assert.match(plain.headers.get('content-type') ?? '', /^application\/json/);
    });
  });

  it('accepts notifications without a response', async () => {
    await withAgents(async ({ post }) => {
      for (const method of ['notifications/initialized', 'notifications/cancelled', 'notifications/unknown']) {
        const answer = await post({ jsonrpc: '2.0', method, params: { requestId: 3 } });
        assert.deepEqual([answer.status, await answer.text()], [202, ''], method);
      }
    });
  });

  it('records a call under its operation, without its arguments', async () => {
    await withAgents(async ({ agent, logged, call: request, key }) => {
      const one = await agent();
      await one.call('compress_image', { data_base64: PIXEL, filename: 'secret.png' });
      await one.call('get_usage');
      await one.codeOf('get_website_scan', { scan_id: 'scan_unknown' });
      const lines = logged().filter(({ path }) => path === '/api/mcp');
      assert.deepEqual(
        lines.slice(-3).map(({ operation, status, error }) => [operation, status, error]),
        [
          ['compress', 200, undefined],
          ['usage', 200, undefined],
          ['read_scan', 200, 'not_found'],
        ],
      );
      assert.deepEqual([lines.at(-3)!.bytes_in, lines.at(-3)!.outcome], [31, 'reduced']);
      const written = JSON.stringify(lines);
      for (const secret of [PIXEL, 'secret.png', key]) assert.ok(!written.includes(secret), secret);
      const metrics = await (await request('/metrics')).text();
      assert.match(metrics, /ic_requests_total\{operation="compress",status="200"\} 1/);
      assert.match(metrics, /ic_errors_total\{code="not_found"\} 1/);
    });
  });

  it('logs the details of a bug, and hides them from the client', async () => {
    await withAgents(async ({ agent, engine, logged, used }) => {
      engine.behave = async () => {
        throw new Error('the secret cause');
      };
      const { isError, text } = await (await agent()).call('compress_image', { data_base64: PIXEL });
      assert.deepEqual([isError, /^internal_error/.test(text), text.includes('secret')], [true, true, false]);
      const [line] = logged().filter(({ msg }) => msg === 'internal error');
      assert.match(JSON.stringify(line), /the secret cause/);
      assert.deepEqual(await used(), { requests: 0, ai: 0, failed: 1 });
    });
  });

  it('refuses new calls during shutdown, and finishes running ones', async () => {
    await withAgents(async ({ agent, engine, services, http, post }) => {
      const one = await agent();
      const begun = createDeferred();
      const leave = createDeferred();
      engine.behave = async () => {
        begun.open();
        await leave.opened;
        return {};
      };
      const running = one.call('compress_image', { data_base64: PIXEL });
      await begun.opened;
      services.lifecycle = 'draining';
      assert.deepEqual(await codeOf(await post(LIST)), [503, 'shutting_down']);
      const drained = http.drain(60_000);
      leave.open();
      assert.equal((await running).isError, undefined);
      await drained;
    });
  });
});
