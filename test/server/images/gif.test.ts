/** POST /api/v1/gif over HTTP: frames and times in its responses, and requests that it refuses before any work. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { OUTPUT_FORMATS, OUTPUTS } from '../../../codecs/formats/registry.ts';
import type { GifResult } from '../../../engine/operations/gif/definition.ts';
import { type TestService, withService } from '../../support/service.ts';
import { verifies } from '../../support/verifies.ts';

const PATH = '/api/v1/gif';
const BODY = 'any bytes';
const FACTS = { frames: 12, animation_ms: 1230, source_frames: 24, source_animation_ms: 2460 };

/** Makes the engine return an animation. */
function answerWithAnimation(engine: TestService['engine'], lengths: Partial<GifResult> = {}): void {
  engine.answers.gif = {
    data: new TextEncoder().encode('12345').buffer as ArrayBuffer,
    format: 'webp',
    width: 20,
    height: 30,
    dpi: null,
    outcome: 'grown',
    warnings: [],
    source: { format: 'gif', bytes: BODY.length, width: 40, height: 60 },
    phases: { decode: 1, process: 0, encode: 2 },
    frames: FACTS.frames,
    animationMs: FACTS.animation_ms,
    sourceFrames: FACTS.source_frames,
    sourceAnimationMs: FACTS.source_animation_ms,
    ...lengths,
  };
}

const ANIMATED = OUTPUT_FORMATS.filter((format) => OUTPUTS[format].animation !== 'none');

const post = ({ call }: TestService, query = '') => call(`${PATH}?${query}`, { method: 'POST', body: BODY });

describe('POST /api/v1/gif', () => {
  it('returns the animation, with its frames and times in headers', async () => {
    verifies('gif.endpoint', 'header.x-ic-frames', 'header.x-ic-source-frames');
    await withService(async (service) => {
      answerWithAnimation(service.engine);
      const answer = await post(service, 'filename=cat.gif');
      assert.equal(answer.status, 200);
      assert.equal(await answer.text(), '12345');
      const headers = Object.fromEntries(answer.headers);
      const expected = {
        'content-type': 'image/webp',
        'x-ic-frames': '12',
        'x-ic-animation-ms': '1230',
        'x-ic-source-frames': '24',
        'x-ic-source-animation-ms': '2460',
        'x-ic-format': 'webp',
        'x-ic-outcome': 'grown',
        'x-ic-width': '20',
        'x-ic-height': '30',
        'x-quota-meter': 'requests',
      };
      assert.deepEqual(Object.fromEntries(Object.keys(expected).map((name) => [name, headers[name]])), expected);
      assert.match(headers['content-disposition'] ?? '', /filename="cat\.webp"/);
    });
  });

  it('returns the same values in the record of a stored result', async () => {
    verifies('gif.output-json');
    await withService(async (service) => {
      answerWithAnimation(service.engine);
      const answer = await post(service, 'output=json');
      const record = (await answer.json()) as Record<string, unknown>;
      assert.deepEqual(Object.fromEntries(Object.keys(FACTS).map((name) => [name, record[name]])), FACTS);
      assert.deepEqual([record.format, record.outcome, record.bytes], ['webp', 'grown', 5]);
      assert.equal(answer.headers.get('x-ic-frames'), null);
      const path = new URL(String(record.url)).pathname;
      assert.equal(await (await service.call(path)).text(), '12345');
    });
  });

  it('passes every parameter to the engine, typed, with the defaults', async () => {
    await withService(async (service) => {
      answerWithAnimation(service.engine);
      const all = {
        crop: '1,2,30,40',
        width: 20,
        trim_start: 0.25,
        trim_end: 1.5,
        speed: 200,
        reverse: true,
        every: 2,
        colours: 16,
        loop: 3,
        lossy: 80,
        quality: 60,
        lossless: true,
        format: 'webp',
      };
      await post(
        service,
        new URLSearchParams(Object.entries(all).map(([name, value]) => [name, String(value)])).toString(),
      );
      await post(service);
      const [given, plain] = service.engine.calls;
      assert.equal(given?.name, 'gif');
      assert.deepEqual(given?.input.params, all);
      const defaults = {
        ...{ speed: 100, reverse: false, every: 1, colours: 256 },
        ...{ lossy: 0, quality: 75, lossless: false, format: 'gif' },
      };
      assert.deepEqual(plain?.input.params, defaults);
    });
  });

  it('accepts the bounds of each parameter and rejects values beyond', async () => {
    verifies(
      'gif.width.bounds',
      'gif.trim.bounds',
      'gif.speed.bounds',
      'gif.every.bounds',
      'gif.colours.bounds',
      'gif.loop.bounds',
      'gif.lossy.bounds',
      'gif.quality.bounds',
      'gif.format.values',
    );
    await withService(async (service) => {
      answerWithAnimation(service.engine);
      const bounds = {
        width: [
          [1, 10_000],
          [0, 10_001, 1.5],
        ],
        trim_start: [
          [0, 0.001, 1e9],
          [-0.001, '1s', ''],
        ],
        trim_end: [
          [0.001, 1e9],
          [-1, 'Infinity', '1e999'],
        ],
        speed: [
          [25, 400],
          [24, 401, '100%'],
        ],
        every: [
          [1, 4],
          [0, 5],
        ],
        colours: [
          [2, 256],
          [1, 257],
        ],
        loop: [
          [0, 65_535],
          [-1, 65_536],
        ],
        lossy: [
          [0, 200],
          [-1, 201, 'true'],
        ],
        quality: [
          [1, 100],
          [0, 101],
        ],
        lossless: [
          ['true', 'false'],
          ['yes', 2],
        ],
        reverse: [
          ['true', 'false', '1', '0'],
          ['yes', ''],
        ],
        format: [
          ['gif', 'webp', 'png', 'avif'],
          ['jpeg', 'auto', 'GIF'],
        ],
        crop: [['0,0,1,1'], ['0,0,0,1', '1,2,3', '-1,0,5,5', 'centre']],
      } as const;
      for (const [name, [allowed, refused]] of Object.entries(bounds)) {
        for (const value of allowed) {
          const answer = await post(service, new URLSearchParams({ [name]: String(value) }).toString());
          assert.equal(answer.status, 200, `${name}=${value}`);
        }
        for (const value of refused) {
          const answer = await post(service, new URLSearchParams({ [name]: String(value) }).toString());
          const { error } = (await answer.json()) as { error: { code: string; param: string } };
          assert.deepEqual(
            [answer.status, error.code, error.param],
            [400, 'invalid_parameter', name],
            `${name}=${value}`,
          );
        }
      }
    });
  });

  it('rejects video with the formats that an animation can have', async () => {
    await withService(async (service) => {
      for (const path of ['/api/v1/gif', '/api/v1/compress'])
        for (const format of ['mp4', 'webm']) {
          const answer = await service.call(`${path}?format=${format}`, {
            method: 'POST',
            body: new Uint8Array(9),
            headers: { authorization: `Bearer ${service.keys.pro}` },
          });
          const { error } = (await answer.json()) as { error: Record<string, string> };
          assert.deepEqual([answer.status, error.code, error.param], [400, 'invalid_parameter', 'format']);
          assert.equal(error.hint, `Video is not written. Animations are written as ${ANIMATED.join(' or ')}.`);
        }
      const steps = [{ op: 'convert', params: { format: 'mp4' } }];
      const answer = await service.call(`/api/v1/pipeline?pipeline=${encodeURIComponent(JSON.stringify({ steps }))}`, {
        method: 'POST',
        body: new Uint8Array(9),
        headers: { authorization: `Bearer ${service.keys.pro}` },
      });
      const { error } = (await answer.json()) as { error: Record<string, string> };
      assert.deepEqual([error.code, error.param], ['invalid_pipeline', 'steps[0].params.format']);
      assert.match(error.hint!, /^Video is not written\./);
    });
  });

  it('says no length of a single frame', async () => {
    await withService(async (service) => {
      answerWithAnimation(service.engine, { animationMs: undefined, sourceAnimationMs: undefined });
      const { headers } = await post(service);
      assert.deepEqual([headers.get('x-ic-animation-ms'), headers.get('x-ic-source-animation-ms')], [null, null]);
      const record = (await (await post(service, 'output=json')).json()) as object;
      assert.deepEqual(['animation_ms' in record, 'source_animation_ms' in record], [false, false]);
      assert.equal('frames' in record, true);
    });
  });

  it('rejects an end that is not after the start', async () => {
    await withService(async (service) => {
      answerWithAnimation(service.engine);
      for (const query of ['trim_end=0', 'trim_start=1&trim_end=1', 'trim_start=2&trim_end=1.999']) {
        const answer = await post(service, query);
        const { error } = (await answer.json()) as { error: { code: string; param: string; message: string } };
        assert.deepEqual([answer.status, error.code, error.param], [400, 'invalid_parameter', 'trim_end'], query);
        assert.match(
          error.message,
          /^Expected a time after trim_start \([0-9.]+ s\) for trim_end but received [0-9.]+\.$/,
        );
      }
      assert.equal(service.engine.calls.length, 0);
    });
  });
});

describe('GET /api/v1/formats', () => {
  it('lists the formats that gif and id-photo write', async () => {
    await withService(async ({ call }) => {
      const { operations } = (await (await call('/api/v1/formats')).json()) as { operations: Record<string, unknown> };
      assert.deepEqual(operations.gif, { output: ['gif', 'webp', 'png', 'avif', 'jxl'], default: 'gif' });
      assert.deepEqual(operations.id_photo, { output: ['jpeg', 'png'], default: 'jpeg' });
    });
  });
});
