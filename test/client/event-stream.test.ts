import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { describe, it } from 'node:test';
import { ImagecrewError } from '../../client/errors.ts';
import { EventParser, followEvents } from '../../client/event-stream.ts';
import { Transport } from '../../client/transport.ts';
import { withServer } from '../support/http-server.ts';

describe('the parser of server-sent events', () => {
  const TEXT =
    ': comment\r\nevent: job\r\ndata: {"a":1}\r\n\r\ndata:one\rdata: two\r\rid: 7\nretry: 20\ndata\n\nevent: none\n\n';
  const EVENTS = [
    { name: 'job', data: '{"a":1}' },
    { name: 'message', data: 'one\ntwo' },
    { name: 'message', data: '' },
  ];

  it('reads every line ending, comments and several data lines, and skips events without data', () => {
    const parser = new EventParser();
    assert.deepEqual(parser.push(TEXT), EVENTS);
    assert.equal(parser.lastId, '7');
    assert.equal(parser.retryMs, 20);
  });

  it('reads the same wherever the text is split', () => {
    for (let cut = 1; cut < TEXT.length; cut += 1) {
      const parser = new EventParser();
      assert.deepEqual([...parser.push(TEXT.slice(0, cut)), ...parser.push(TEXT.slice(cut))], EVENTS, `cut at ${cut}`);
    }
  });

  it('discards an event that was cut off by the end of a connection', () => {
    const parser = new EventParser();
    assert.deepEqual(parser.push('id: 1\ndata: whole\n\nid: 2\nevent: half\ndata: ha'), [
      { name: 'message', data: 'whole' },
    ]);
    parser.restart();
    assert.deepEqual(parser.push('data: next\n\n'), [{ name: 'message', data: 'next' }]);
    assert.equal(parser.lastId, '1');
  });
});

describe('following a stream of events', () => {
  it('reconnects after the last received event, and ends when its reader stops', async () => {
    const asked: (string | undefined)[] = [];
    await withStream(
      ({ headers }) => {
        asked.push(headers['last-event-id'] as string | undefined);
        return { status: 200, text: `id: ${asked.length}\nevent: step\ndata: ${asked.length}\n\n` };
      },
      async (transport) => {
        const seen: string[] = [];
        const states: boolean[] = [];
        const options = {
          signal: new AbortController().signal,
          retryMs: 1,
          onConnection: (is: boolean) => states.push(is),
        };
        for await (const { data } of followEvents(transport, '/events', options)) {
          seen.push(data);
          if (data === '3') break;
        }
        assert.deepEqual(seen, ['1', '2', '3']);
        assert.deepEqual(states, [true, false, true, false, true]);
      },
    );
    assert.deepEqual(asked, [undefined, '1', '2']);
  });

  it('continues after server errors, and fails if it is rejected', async () => {
    let requests = 0;
    await withStream(
      () => ({ status: [500, 200, 404][requests++]!, text: 'data: here\n\n' }),
      async (transport) => {
        const seen: string[] = [];
        const follow = async () => {
          const options = { signal: new AbortController().signal, retryMs: 1 };
          for await (const { data } of followEvents(transport, '/events', options)) seen.push(data);
        };
        await assert.rejects(follow(), (error) => error instanceof ImagecrewError && error.status === 404);
        assert.deepEqual(seen, ['here']);
      },
    );
  });

  it('ends without an error when it is aborted, also while it waits', async () => {
    await withStream(
      () => ({ status: 200, text: 'data: here\n\n' }),
      async (transport) => {
        const stop = new AbortController();
        const options = {
          signal: stop.signal,
          retryMs: 60_000,
          onConnection: (isOpen: boolean) => isOpen || setImmediate(() => stop.abort()),
        };
        const seen: string[] = [];
        for await (const { data } of followEvents(transport, '/events', options)) seen.push(data);
        assert.deepEqual(seen, ['here']);
      },
    );
  });
});

type Answer = (request: IncomingMessage) => { status: number; text: string };

async function withStream(answer: Answer, work: (transport: Transport) => Promise<void>): Promise<void> {
  await withServer(
    (request, response) => {
      const { status, text } = answer(request);
      response.writeHead(status, { 'Content-Type': 'text/event-stream' }).end(text);
    },
    ({ origin }) => work(new Transport({ key: undefined, baseUrl: origin })),
  );
}
