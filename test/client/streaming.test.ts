/** The client must not buffer streams: the bytes in transit stay far below the 100 MB of the stream. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { describe, it } from 'node:test';
import { type CompressOptions, Imagecrew, type ImageInput } from '../../client/index.ts';
import { withServer } from '../support/http-server.ts';

const CHUNK = 64 * 1024;
const CHUNKS = 1600;
const TOTAL = CHUNK * CHUNKS;
/** Maximum bytes in transit. The socket buffers of both sides hold a few megabytes. */
const MAX_BYTES_IN_TRANSIT = 24 * 1024 * 1024;

class Flow {
  made = 0;
  arrived = 0;
  mostOnTheWay = 0;

  async *chunks(): AsyncGenerator<Uint8Array> {
    for (let index = 0; index < CHUNKS; index += 1) {
      this.made += CHUNK;
      this.mostOnTheWay = Math.max(this.mostOnTheWay, this.made - this.arrived);
      yield new Uint8Array(CHUNK);
    }
  }

  check(extra = 0): void {
    assert.equal(this.made, TOTAL);
    assert.ok(this.arrived >= TOTAL + extra && this.arrived < TOTAL + extra + 2000, `${this.arrived} bytes arrived`);
    assert.ok(this.mostOnTheWay < MAX_BYTES_IN_TRANSIT, `${this.mostOnTheWay} bytes on the way`);
  }
}

async function upload(
  image: (flow: Flow) => ImageInput,
  options: CompressOptions = {},
): Promise<Flow & { request: IncomingMessage }> {
  const flow = new Flow();
  let request: IncomingMessage | undefined;
  await withServer(
    (incoming, response) => {
      request = incoming;
      incoming.on('data', (chunk: Buffer) => {
        flow.arrived += chunk.length;
      });
      incoming.on('end', () => response.writeHead(200, { 'Content-Type': 'image/png' }).end('done'));
    },
    async ({ origin }) => {
      const client = new Imagecrew({ baseUrl: origin });
      const answer = await client.compress(image(flow), {}, options);
      assert.equal(await (await answer.blob()).text(), 'done');
    },
  );
  return Object.assign(flow, { request: request! });
}

describe('streams', () => {
  it('are sent as they arrive: a Node stream, and a web stream with another part', async () => {
    const node = await upload((flow) => Readable.from(flow.chunks()));
    node.check();
    assert.equal(node.request.headers['transfer-encoding'], 'chunked');
    const logo = new Uint8Array(1000);
    const form = await upload((flow) => Readable.toWeb(Readable.from(flow.chunks())) as ReadableStream<Uint8Array>, {
      watermarkImage: logo,
    });
    form.check(logo.length);
    assert.match(form.request.headers['content-type']!, /^multipart\/form-data; boundary=imagecrew-/);
  });

  it('are read as they arrive', async () => {
    const flow = new Flow();
    await withServer(
      (_request, response) => {
        response.writeHead(200, { 'Content-Type': 'image/png' });
        Readable.from(flow.chunks()).pipe(response);
      },
      async ({ origin }) => {
        const answer = await new Imagecrew({ baseUrl: origin }).compress(new Uint8Array(1));
        for await (const chunk of answer.body) flow.arrived += chunk.length;
      },
    );
    flow.check();
  });

  it('are released when the service rejects them midway, when they are aborted, and when they fail', async () => {
    const reason = new Error('enough');
    const closed: string[] = [];
    async function* endless(name: string): AsyncGenerator<Uint8Array> {
      try {
        for (;;) yield new Uint8Array(CHUNK);
      } finally {
        closed.push(name);
      }
    }
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield new Uint8Array(10);
      throw new Error('disk');
    }
    const control = new AbortController();
    await withServer(
      (request, response) => {
        if (request.url?.includes('upscale')) control.abort(reason);
        else request.once('data', () => response.writeHead(413).end());
      },
      async ({ origin }) => {
        const client = new Imagecrew({ baseUrl: origin });
        await assert.rejects(client.compress(endless('refused')), { code: 'http_413' });
        await assert.rejects(
          client.upscale(endless('ended'), {}, { signal: control.signal }),
          (error) => error === reason,
        );
        await assert.rejects(client.gif(broken()));
        const unread = new ReadableStream({ cancel: () => void closed.push('not begun') }, { highWaterMark: 0 });
        await assert.rejects(client.compress(endless('beside another'), {}, { watermarkImage: unread }), {
          code: 'http_413',
        });
      },
    );
    assert.deepEqual(closed, ['refused', 'ended', 'beside another', 'not begun']);
  });

  it('are released when none of them was read, and when one failed before its turn', async () => {
    const client = new Imagecrew({ baseUrl: 'http://127.0.0.1:9' });
    const alone = createReadStream(import.meta.filename);
    const beside = createReadStream(import.meta.filename);
    const failed = new ReadableStream<Uint8Array>({ start: (controller) => controller.error(new Error('disk')) });
    await assert.rejects(client.compress(alone), TypeError);
    await assert.rejects(client.compress(beside, {}, { watermarkImage: failed }), TypeError);
    for (const stream of [alone, beside]) if (!stream.closed) await once(stream, 'close');
  });

  it('may be requests that a server has received', async () => {
    await withServer(
      (request, response) => void request.pipe(response),
      async ({ origin: echo }) => {
        await withServer(
          async (request, response) => {
            const answer = await new Imagecrew({ baseUrl: echo }).compress(request);
            response.end(Buffer.from(await answer.arrayBuffer()));
          },
          async ({ origin }) => {
            const answer = await fetch(`${origin}/upload`, { method: 'POST', body: 'image' });
            assert.equal(await answer.text(), 'image');
          },
        );
      },
    );
  });
});
