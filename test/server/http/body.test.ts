import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { describe, it } from 'node:test';
import { withServer } from '../../support/http-server.ts';
import type { TestService } from '../../support/service.ts';
import { withService } from '../../support/service.ts';
import { closed, openSocket, readResponse, sendRaw } from '../../support/socket.ts';
import { verifies } from '../../support/verifies.ts';

const PATH = '/api/v1/compress';

function bytes(length: number): Uint8Array<ArrayBuffer> {
  return Uint8Array.from({ length }, (_, index) => (index * 31) % 251);
}

/** Creates a request with a body of `chunks`, without Content-Length. */
function chunked(...chunks: Uint8Array[]): RequestInit {
  const body = new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
  return { method: 'POST', body, duplex: 'half' } as RequestInit;
}

function post(body: BodyInit, headers: Record<string, string> = {}): RequestInit {
  return { method: 'POST', body, headers };
}

function form(parts: [string, string | Blob, string?][]): FormData {
  const data = new FormData();
  for (const [name, value, filename] of parts) {
    if (typeof value === 'string') data.append(name, value);
    else data.append(name, value, filename ?? 'blob');
  }
  return data;
}

async function errorOf(
  answer: Response | Promise<Response>,
): Promise<{ status: number; code: string; param?: string; message: string }> {
  const response = await answer;
  const { error } = (await response.json()) as { error: { code: string; param?: string; message: string } };
  return { status: response.status, ...error };
}

/** Writes the head of a request. */
const requestHead = ({ keys }: TestService, ...lines: string[]) =>
  [`POST ${PATH} HTTP/1.1`, 'Host: a', `Authorization: Bearer ${keys.test}`, ...lines, '', ''].join('\r\n');

const TEST_LIMIT = 1_000_000;
const testKey = ({ keys }: TestService) => ({ authorization: `Bearer ${keys.test}` });

describe('a raw body', () => {
  it('reaches the engine in a buffer of exactly its bytes, with any content type', async () => {
    verifies('input.raw');
    await withService(async ({ call, engine }) => {
      for (const type of [
        'image/jpeg',
        'application/octet-stream',
        'text/plain',
        'application/x-www-form-urlencoded',
        '',
      ])
        assert.equal((await call(PATH, post(bytes(70_001), { 'content-type': type }))).status, 200);
      assert.equal((await call(PATH, chunked(bytes(70_000), bytes(1), bytes(0), bytes(30_000)))).status, 200);
      const sizes = engine.calls.map(({ input }) => input.image.data.byteLength);
      assert.deepEqual(sizes, [70_001, 70_001, 70_001, 70_001, 70_001, 100_001]);
      assert.deepEqual(new Uint8Array(engine.calls[0]!.input.image.data), bytes(70_001));
      assert.deepEqual(
        Buffer.from(engine.calls[5]!.input.image.data),
        Buffer.concat([bytes(70_000), bytes(1), bytes(30_000)]),
      );
    });
  });

  it('gets its filename from the parameter filename', async () => {
    await withService(async ({ call, engine }) => {
      const answer = await call(`${PATH}?filename=scan.tga&page=3`, post(bytes(10)));
      assert.match(answer.headers.get('content-disposition') ?? '', /filename="scan\.webp"/);
      const { image, params } = engine.calls[0]!.input;
      assert.equal(image.filename, 'scan.tga');
      assert.equal(params.page, 3);
      assert.deepEqual(
        Object.keys(params).filter((name) => ['output', 'deliver_to'].includes(name)),
        [],
      );
    });
  });

  it('fails with missing_image when it is empty, whether its length is announced or not', async () => {
    verifies('input.required');
    await withService(async ({ call }) => {
      for (const init of [{ method: 'POST' }, post(''), chunked()]) {
        assert.deepEqual((({ status, code, param }) => ({ status, code, param }))(await errorOf(call(PATH, init))), {
          status: 400,
          code: 'missing_image',
          param: 'image',
        });
      }
    });
  });

  it('may be exactly as large as the key allows', async () => {
    verifies('limits.test-key.file-size', 'error.file-too-large');
    await withService(async (service) => {
      const headers = testKey(service);
      assert.equal((await service.call(PATH, { ...post(bytes(TEST_LIMIT)), headers })).status, 200);
      assert.equal((await service.call(PATH, { ...chunked(bytes(TEST_LIMIT)), headers })).status, 200);
      for (const init of [post(bytes(TEST_LIMIT + 1)), chunked(bytes(TEST_LIMIT), bytes(1))]) {
        const { status, code } = await errorOf(service.call(PATH, { ...init, headers }));
        assert.deepEqual([status, code], [413, 'file_too_large']);
      }
      assert.equal(service.engine.calls.length, 2);
    });
  });

  it('may have 20 MB on a free account and 200 MB on a Pro account', async () => {
    verifies('limits.file-size.free', 'limits.file-size.pro');
    await withService(async (service) => {
      for (const [key, limit] of [
        [service.keys.free, 20_000_000],
        [service.keys.pro, 200_000_000],
      ] as const) {
        const ask = (length: number) =>
          sendRaw(
            service.port,
            requestHead(service, `Content-Length: ${length}`, 'Expect: 100-continue').replace(service.keys.test, key),
          );
        assert.equal((await ask(limit)).status, 100);
        assert.equal((await ask(limit + 1)).status, 413);
      }
    });
  });

  it('is rejected by its Content-Length before any of it is sent, and the connection is closed', async () => {
    await withService(async (service) => {
      const socket = await openSocket(service.port);
      socket.write(requestHead(service, 'Content-Length: 2000000000'));
      const { status, headers, body } = await readResponse(socket);
      assert.equal(status, 413);
      assert.equal(JSON.parse(body).error.code, 'file_too_large');
      assert.equal(headers.get('connection'), 'close');
      socket.destroy();
      assert.equal(service.services.uploads.heldBytes, 0);
    });
  });

  it('is rejected as soon as it exceeds the limit, and a client that keeps sending can still read the response', async () => {
    await withService(async (service) => {
      const socket = await openSocket(service.port);
      const answer = readResponse(socket);
      socket.write(requestHead(service, 'Transfer-Encoding: chunked'));
      const chunk = Buffer.concat([Buffer.from('186a0\r\n'), bytes(100_000), Buffer.from('\r\n')]);
      // Sends five times the limit, each chunk after the previous one was accepted. A reset would fail this.
      for (let n = 0; n < 50; n += 1) if (!socket.write(chunk)) await once(socket, 'drain');
      assert.equal((await answer).status, 413);
      socket.write('0\r\n\r\n');
      await closed(socket);
    });
  });

  it('gets 100 Continue only if the request is acceptable', async () => {
    await withService(async (service) => {
      const socket = await openSocket(service.port);
      socket.write(requestHead(service, 'Content-Length: 10', 'Expect: 100-continue'));
      const [leave] = await once(socket, 'data');
      assert.match(String(leave), /^HTTP\/1\.1 100 /);
      socket.write('0123456789');
      assert.equal((await readResponse(socket)).status, 200);
      socket.destroy();
      const refused = await sendRaw(
        service.port,
        requestHead(service, 'Content-Length: 2000000', 'Expect: 100-continue'),
      );
      assert.equal(refused.status, 413);
    });
  });

  it('that stops half way gets upload_timeout', async () => {
    await withService(
      async (service) => {
        const { status, body } = await sendRaw(service.port, `${requestHead(service, 'Content-Length: 1000')}half`);
        assert.equal(status, 408);
        assert.equal(JSON.parse(body).error.code, 'upload_timeout');
        assert.equal(service.services.uploads.heldBytes, 0);
        assert.equal(service.engine.calls.length, 0);
      },
      { env: { IC_UPLOAD_TIMEOUT_S: '1' } },
    );
  });

  it('with a content encoding is rejected', async () => {
    await withService(async ({ call }) => {
      const { status, code } = await errorOf(call(PATH, post(bytes(10), { 'content-encoding': 'gzip' })));
      assert.deepEqual([status, code], [415, 'unsupported_media_type']);
    });
  });

  it('is rejected with overloaded while others fill the memory for uploads', async () => {
    verifies('error.retry-after.503');
    await withService(
      async (service) => {
        const first = await openSocket(service.port);
        const proHead = requestHead(service, 'Content-Length: 1000000', 'Expect: 100-continue').replace(
          service.keys.test,
          service.keys.pro,
        );
        first.write(proHead);
        await once(first, 'data');
        first.write(bytes(999_999));
        while (service.services.uploads.heldBytes < 999_999) await new Promise(setImmediate);
        const answer = await service.call(PATH, post(bytes(100_000)));
        assert.deepEqual([answer.status, (await errorOf(answer)).code], [503, 'overloaded']);
        assert.match(answer.headers.get('retry-after') ?? '', /^[1-9][0-9]*$/);
        first.write(bytes(1));
        assert.equal((await readResponse(first)).status, 200);
        first.destroy();
        assert.equal((await service.call(PATH, post(bytes(100_000)))).status, 200);
      },
      { env: { IC_UPLOAD_BYTES: '1048576' } },
    );
  });

  it('is not rejected because others announce large bodies and send nothing', async () => {
    await withService(
      async (service) => {
        const idle = await Promise.all(
          Array.from({ length: 20 }, async () => {
            const socket = await openSocket(service.port);
            socket.write(requestHead(service, 'Content-Length: 1000000', 'Expect: 100-continue'));
            await once(socket, 'data');
            return socket;
          }),
        );
        assert.equal((await service.call(PATH, post(bytes(1_000_000)))).status, 200);
        for (const socket of idle) socket.destroy();
      },
      { env: { IC_UPLOAD_BYTES: '1048576' } },
    );
  });

  it('is no longer reserved in the upload memory once the engine has it', async () => {
    await withService(async ({ call, engine, services }) => {
      let held: number | undefined;
      engine.behave = async () => {
        await new Promise(setImmediate);
        held = services.uploads.heldBytes;
        return {};
      };
      assert.equal((await call(PATH, post(bytes(1000)))).status, 200);
      assert.equal(held, 0);
    });
  });

  it('leaves nothing behind when its client disconnects', async () => {
    await withService(async (service) => {
      const socket = await openSocket(service.port);
      socket.write(requestHead(service, 'Content-Length: 1000', 'Expect: 100-continue'));
      await once(socket, 'data');
      socket.write(bytes(900));
      while (service.services.uploads.heldBytes < 900) await new Promise(setImmediate);
      socket.destroy();
      await service.http.drain(10_000);
      // The handler ends some event loop turns after its connection.
      while (service.services.uploads.heldBytes > 0) await new Promise(setImmediate);
      assert.equal(service.logged().at(-1)?.status, 499);
    });
  });
});

describe('a multipart body', { timeout: 30_000 }, () => {
  const image = new Blob([bytes(70_001)]);

  it('contains the image with its name, and parameters as text', async () => {
    verifies('input.multipart', 'input.filename.not-needed');
    await withService(async ({ call, engine }) => {
      const body = form([
        ['image', image, 'Žaba č.png'],
        ['quality', '33'],
        ['watermark_text', '© Žiga'],
      ]);
      const answer = await call(`${PATH}?quality=44`, { method: 'POST', body });
      assert.equal(answer.status, 200);
      const { input } = engine.calls[0]!;
      assert.equal(input.image.filename, 'Žaba č.png');
      assert.deepEqual(new Uint8Array(input.image.data), bytes(70_001));
      assert.equal(input.params.quality, 44);
      assert.equal(input.params.watermark_text, '© Žiga');
      assert.match(answer.headers.get('content-disposition') ?? '', /filename\*=UTF-8''%C5%BDaba%20%C4%8D\.webp/);
    });
  });

  it('accepts the part image as a file without name or type', async () => {
    await withService(async ({ call, engine }) => {
      const body = '--x\r\nContent-Disposition: form-data; name="image"\r\n\r\nbytes\r\n--x--\r\n';
      assert.equal((await call(PATH, post(body, { 'content-type': 'multipart/form-data; boundary=x' }))).status, 200);
      assert.equal(Buffer.from(engine.calls[0]!.input.image.data).toString(), 'bytes');
    });
  });

  it('may contain a logo for Pro accounts only', async () => {
    verifies('auth.pro.watermark-image', 'error.upgrade-required');
    await withService(async ({ call, engine, keys }) => {
      const body = () =>
        form([
          ['image', image],
          ['watermark_image', new Blob([bytes(5)])],
        ]);
      const refused = await errorOf(call(PATH, { method: 'POST', body: body() }));
      assert.deepEqual([refused.status, refused.code, refused.param], [403, 'upgrade_required', 'watermark_image']);
      const headers = { authorization: `Bearer ${keys.pro}` };
      assert.equal((await call(PATH, { method: 'POST', body: body(), headers })).status, 200);
      assert.equal(engine.calls.length, 1);
      assert.equal(engine.calls[0]?.input.watermark?.data.byteLength, 5);
    });
  });

  /** Starts a form without Content-Length; each call of the result sends one more chunk. */
  function openBody(service: TestService, socket: Socket): (part: string) => void {
    const type = 'Content-Type: multipart/form-data; boundary=b';
    socket.write(
      requestHead(service, type, 'Transfer-Encoding: chunked').replace(service.keys.test, service.keys.free),
    );
    return (part) => socket.write(`${Buffer.byteLength(part).toString(16)}\r\n${part}\r\n`);
  }
  const textPart = (name: string, value: string) =>
    `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;

  it('with an unnamed text is rejected', async () => {
    await withService(async ({ call }) => {
      const body = '--x\r\nContent-Disposition: form-data\r\n\r\n8\r\n--x--\r\n';
      const type = { 'content-type': 'multipart/form-data; boundary=x' };
      assert.equal((await errorOf(call(PATH, post(body, type)))).status, 400);
    });
  });

  it('reserves memory for its texts at their size in memory', async () => {
    await withService(async (service) => {
      const { uploads } = service.services;
      const socket = await openSocket(service.port);
      const send = openBody(service, socket);
      const value = `č${'x'.repeat(8000)}`;
      for (let n = 0; n < 100; n += 1) send(textPart(`p${n}`, value));
      const received = 100 * Buffer.byteLength(value);
      // Texts take two bytes per character, because of the `č`. The last one has not ended, so it is not counted.
      while (uploads.heldBytes < received + 2 * 99 * value.length) await new Promise(setImmediate);
      socket.destroy();
      while (uploads.heldBytes > 0) await new Promise(setImmediate);
    });
  });

  it('is rejected with overloaded when its texts fill the memory for uploads', async () => {
    await withService(
      async (service) => {
        const other = service.services.uploads.open();
        other.reserve(600_000);
        const socket = await openSocket(service.port);
        const send = openBody(service, socket);
        for (let n = 0; n < 100; n += 1) send(textPart(`p${n}`, 'x'.repeat(8000)));
        const { status, body } = await readResponse(socket);
        assert.deepEqual([status, JSON.parse(body).error.code], [503, 'overloaded']);
        socket.destroy();
      },
      { env: { IC_UPLOAD_BYTES: '1048576' } },
    );
  });

  it('is rejected when it exceeds the limit of all its parts, even without Content-Length', async () => {
    await withService(async (service) => {
      const socket = await openSocket(service.port);
      const send = openBody(service, socket);
      const answer = readResponse(socket);
      // The bytes come before the first part, where no part limit counts them.
      const preamble = 'x'.repeat(1_000_000);
      for (let n = 0; n < 42; n += 1) send(preamble);
      const { status, body } = await answer;
      assert.deepEqual([status, JSON.parse(body).error.code], [413, 'file_too_large']);
      socket.destroy();
    });
  });

  const refusals: [string, string, string | undefined, FormData][] = [
    ['without the image', 'missing_image', 'image', form([['quality', '80']])],
    ['with an empty image', 'missing_image', 'image', form([['image', new Blob([])]])],
    [
      'with an empty logo',
      'invalid_parameter',
      'watermark_image',
      form([
        ['image', image],
        ['watermark_image', new Blob([])],
      ]),
    ],
    [
      'with two images',
      'invalid_parameter',
      'image',
      form([
        ['image', image],
        ['image', image],
      ]),
    ],
    [
      'with another file',
      'invalid_parameter',
      'photo',
      form([
        ['image', image],
        ['photo', image],
      ]),
    ],
    [
      'with an unknown text',
      'invalid_parameter',
      'qualty',
      form([
        ['image', image],
        ['qualty', '80'],
      ]),
    ],
    [
      'with a text twice',
      'invalid_parameter',
      'quality',
      form([
        ['image', image],
        ['quality', '80'],
        ['quality', '80'],
      ]),
    ],
    [
      'with a text out of range',
      'invalid_parameter',
      'quality',
      form([
        ['image', image],
        ['quality', '101'],
      ]),
    ],
    [
      'with a text that is too long',
      'invalid_parameter',
      'watermark_text',
      form([
        ['image', image],
        ['watermark_text', 'a'.repeat(9000)],
      ]),
    ],
    [
      'with too many parts',
      'invalid_request',
      undefined,
      form([['image', image], ...Array.from({ length: 128 }, (): [string, string] => ['quality', '1'])]),
    ],
  ];
  for (const [what, code, param, body] of refusals) {
    it(`${what} is rejected`, async () => {
      verifies('input.multipart.image-required');
      await withService(async ({ call, engine, services }) => {
        const error = await errorOf(call(PATH, { method: 'POST', body }));
        assert.deepEqual([error.status, error.code, error.param], [400, code, param]);
        assert.equal(engine.calls.length, 0);
        assert.equal(services.uploads.heldBytes, 0);
      });
    });
  }

  it('with a file over the limit is rejected while it streams', async () => {
    await withService(async (service) => {
      const headers = testKey(service);
      const whole = form([['image', new Blob([bytes(TEST_LIMIT)])]]);
      assert.equal((await service.call(PATH, { method: 'POST', body: whole, headers })).status, 200);
      const larger = form([['image', new Blob([bytes(TEST_LIMIT + 1)])]]);
      const { status, code, param } = await errorOf(service.call(PATH, { method: 'POST', body: larger, headers }));
      assert.deepEqual([status, code, param], [413, 'file_too_large', 'image']);
      const endless = await sendRaw(
        service.port,
        requestHead(service, 'Content-Type: multipart/form-data; boundary=x', 'Content-Length: 9000000'),
      );
      assert.equal(endless.status, 413);
    });
  });

  const malformed: Record<string, [string, string]> = {
    'no boundary': ['multipart/form-data', '--x--\r\n'],
    'nothing at all': ['multipart/form-data; boundary=x', ''],
    'another boundary': [
      'multipart/form-data; boundary=x',
      '--y\r\nContent-Disposition: form-data; name="image"\r\n\r\na\r\n--y--\r\n',
    ],
    'no end': ['multipart/form-data; boundary=x', '--x\r\nContent-Disposition: form-data; name="image"\r\n\r\nabc'],
    'no end of a text': [
      'multipart/form-data; boundary=x',
      '--x\r\nContent-Disposition: form-data; name="quality"\r\n\r\n8',
    ],
    'no end of the headers': ['multipart/form-data; boundary=x', '--x\r\nContent-Dispo'],
  };
  for (const [what, [type, body]] of Object.entries(malformed)) {
    it(`with ${what} is rejected`, async () => {
      verifies('error.malformed-request');
      await withService(async ({ call }) => {
        const { status, code } = await errorOf(call(PATH, post(body, { 'content-type': type })));
        assert.deepEqual([status, code], [400, 'invalid_request']);
      });
    });
  }
});

describe('a JSON body', () => {
  const json = (value: unknown) =>
    post(typeof value === 'string' ? value : JSON.stringify(value), {
      'content-type': 'application/json; charset=utf-8',
    });

  it('contains the address of the image, and parameters with their types', async () => {
    verifies('input.json-url', 'input.filename.not-needed');
    await withServer(
      (_req, res) => res.end(bytes(1234)),
      async ({ origin }) => {
        await withService(
          async ({ call, engine, logged }) => {
            const url = `${origin}/folder/beach%20day.jpg?secret=hunter2`;
            const answer = await call(`${PATH}?blur=7`, json({ url, quality: 33, blur: 5 }));
            assert.equal(answer.status, 200);
            assert.match(answer.headers.get('content-disposition') ?? '', /filename="beach day\.webp"/);
            const { image, params } = engine.calls[0]!.input;
            assert.deepEqual(new Uint8Array(image.data), bytes(1234));
            assert.deepEqual([params.quality, params.blur], [33, 7]);
            await answer.arrayBuffer();
            assert.equal(logged().at(-1)?.source_host, new URL(origin).host);
            assert.doesNotMatch(JSON.stringify(logged()), /hunter2|beach/);
          },
          { env: { IC_ALLOW_PRIVATE_ADDRESSES: '127.0.0.0/8' } },
        );
      },
    );
  });

  const refusals: [string, number, string, string | undefined, unknown][] = [
    ['without url', 400, 'missing_image', 'image', { quality: 80 }],
    ['with a url that is none', 400, 'invalid_url', 'url', { url: 'photo.jpg' }],
    ['with a url that is no text', 400, 'invalid_url', 'url', { url: 1 }],
    ['with a private address', 400, 'url_not_allowed', 'url', { url: 'http://127.0.0.1:80/' }],
    ['with an unknown field', 400, 'invalid_parameter', 'colour', { url: 'http://example.com/', colour: 1 }],
    [
      'with __proto__',
      400,
      'invalid_parameter',
      '__proto__',
      '{"url":"http://example.com/","__proto__":{"quality":1}}',
    ],
    ['with a number as text', 400, 'invalid_parameter', 'quality', { url: 'http://example.com/', quality: '80' }],
    ['that is an array', 400, 'invalid_request', undefined, []],
    ['that is null', 400, 'invalid_request', undefined, 'null'],
    ['that is cut off', 400, 'invalid_request', undefined, '{"url":'],
    ['that is empty', 400, 'invalid_request', undefined, ''],
    ['of more than 64 KiB', 400, 'invalid_request', undefined, { url: 'a'.repeat(65_536) }],
  ];
  for (const [what, status, code, param, value] of refusals) {
    it(`${what} is rejected`, async () => {
      verifies('input.json-url.required');
      await withService(async ({ call, engine }) => {
        const error = await errorOf(call(PATH, json(value)));
        assert.deepEqual([error.status, error.code, error.param], [status, code, param]);
        assert.equal(engine.calls.length, 0);
      });
    });
  }
});
