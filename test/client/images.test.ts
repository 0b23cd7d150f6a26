/** What the client says about images and options of a caller without types, before it sends anything. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Imagecrew, type ImagecrewOptions, type ImageInput } from '../../client/index.ts';

const client = new Imagecrew({
  baseUrl: 'https://images.example.com',
  fetch: () => Promise.reject(new Error('a request was sent')),
});

const WRONG: readonly [string, unknown, RegExp][] = [
  ['undefined', undefined, /received undefined\.$/],
  ['null', null, /received null\.$/],
  ['the name of a file', 'photo.jpg', /received a string: pass an address as \{ url \}, and a file as its bytes\.$/],
  ['a number', 7, /received another number\.$/],
  ['an array', [1, 2, 3], /received an array\.$/],
  ['an object of another kind', { path: 'photo.jpg' }, /received another object\.$/],
  ['an address that is no string', { url: new URL('https://example.com/a.jpg') }, /received another object\.$/],
  ['an empty Blob', new Blob([]), /received 0 bytes\.$/],
  ['an empty array of bytes', new Uint8Array(0), /received 0 bytes\.$/],
  ['an empty buffer', new ArrayBuffer(0), /received 0 bytes\.$/],
];

async function assertRefused(place: string, message: RegExp, call: () => Promise<unknown>): Promise<void> {
  await assert.rejects(call, (error: unknown) => {
    assert.ok(error instanceof TypeError);
    assert.ok(
      error.message.startsWith(`Expected bytes, a stream or an object with url for ${place} but `),
      error.message,
    );
    assert.match(error.message, message);
    return true;
  });
}

describe('the client refuses as an image', () => {
  for (const [name, value, message] of WRONG) {
    it(name, async () => {
      const image = value as ImageInput;
      await assertRefused('image', message, () => client.compress(image));
      await assertRefused('images[1]', message, () =>
        client.jobs.create([{ url: 'https://example.com/a.jpg' }, image]),
      );
    });
  }

  it('null for a watermark', async () => {
    const watermarkImage = null as unknown as Blob;
    await assertRefused('watermarkImage', /null/, () => client.compress(new Uint8Array(9), {}, { watermarkImage }));
    await assertRefused('watermarkImage', /null/, () =>
      client.jobs.create([new Uint8Array(9)], {}, { watermarkImage }),
    );
  });

  it('a single image instead of the list of a job', async () => {
    const images = new Uint8Array(9) as unknown as ImageInput[];
    await assert.rejects(
      client.jobs.create(images),
      new TypeError('Expected a list of images for images but received another value.'),
    );
  });
});

describe('the client refuses as the address of the service', () => {
  for (const options of [undefined, {}, { baseUrl: undefined }, { baseUrl: '' }, { baseUrl: 'images.example.com' }]) {
    it(JSON.stringify(options) ?? 'nothing', () => {
      assert.throws(
        () => new Imagecrew(options as unknown as ImagecrewOptions),
        (error: unknown) =>
          error instanceof TypeError &&
          /^Expected the address of the service, such as .+, for baseUrl but received .+\.$/.test(error.message),
      );
    });
  }
});
