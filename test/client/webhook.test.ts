import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { verifyWebhook, WebhookVerificationError } from '../../client/index.ts';
import { newSecret, signatureHeaders } from '../../server/webhooks/signature.ts';

const secret = newSecret();
const other = newSecret();
const time = Date.UTC(2030, 0, 1);
const body = JSON.stringify({ type: 'webhook.test', timestamp: '2030-01-01T00:00:00Z', data: { name: 'čaj' } });
const signed = (secrets = [secret]) => signatureHeaders({ id: 'msg_1', time, body }, secrets);
const verify = (headers: Parameters<typeof verifyWebhook>[1], options = {}) =>
  verifyWebhook(secret, headers, body, { now: time, ...options });

const refused = WebhookVerificationError;

describe('verifying webhooks', () => {
  it('accepts what the service signs, in every form of headers and body', async () => {
    const headers = signed();
    const upper = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), [value]]));
    for (const form of [headers, new Headers(headers), upper]) assert.deepEqual(await verify(form), JSON.parse(body));
    const bytes = new TextEncoder().encode(body);
    const inside = new Uint8Array(bytes.length + 8);
    inside.set(bytes, 4);
    for (const form of [bytes, bytes.buffer, Buffer.from(body), inside.subarray(4, -4), new DataView(bytes.buffer)])
      assert.deepEqual(await verifyWebhook(secret, headers, form, { now: time }), JSON.parse(body));
    assert.deepEqual(
      await verifyWebhook(secret.slice('whsec_'.length), headers, body, { now: time }),
      JSON.parse(body),
    );
  });

  it('agrees with the reference implementation, in both directions', async () => {
    const reference = new Webhook(secret);
    const now = new Date();
    const theirs = {
      'webhook-id': 'msg_2',
      'webhook-timestamp': `${Math.floor(now.getTime() / 1000)}`,
      'webhook-signature': reference.sign('msg_2', now, body),
    };
    assert.deepEqual(await verifyWebhook(secret, theirs, body), JSON.parse(body));
    const ours = signatureHeaders({ id: 'msg_3', time: now.getTime(), body }, [other, secret]);
    assert.deepEqual(reference.verify(body, ours), await verifyWebhook(secret, ours, body));
    // Both implementations refuse the same webhooks.
    for (const forged of [
      { ...ours, 'webhook-id': 'msg_4' },
      { ...ours, 'webhook-signature': 'v1,' },
    ]) {
      assert.throws(() => reference.verify(body, forged));
      await assert.rejects(verifyWebhook(secret, forged, body), refused);
    }
  });

  it('accepts one valid signature of several, and any of several secrets', async () => {
    await verify(signed([other, secret]));
    const [first] = signed()['webhook-signature']!.split(' ');
    await verify({ ...signed(), 'webhook-signature': `v2,abc v1a,xyz v1,%% v1,AAAA ${first}` });
    await verifyWebhook([other, secret], signed(), body, { now: time });
    await assert.rejects(verify(signed([other])), refused);
    await assert.rejects(verify({ ...signed(), 'webhook-signature': first!.replace('v1,', 'v2,') }), refused);
  });

  it('rejects forged signatures', async () => {
    const headers = signed();
    const flipped = headers['webhook-signature']!.replace(/,(.)/, (_, letter) => `,${letter === 'A' ? 'B' : 'A'}`);
    for (const change of [
      { 'webhook-id': 'msg_9' },
      { 'webhook-timestamp': `${time / 1000 + 1}` },
      { 'webhook-signature': flipped },
      { 'webhook-signature': headers['webhook-signature']!.slice(0, -4) },
      { 'webhook-signature': 'v1,' },
    ])
      await assert.rejects(verify({ ...headers, ...change }), refused, JSON.stringify(change));
    await assert.rejects(verifyWebhook(secret, headers, `${body} `, { now: time }), refused);
    await assert.rejects(verifyWebhook(secret, headers, '', { now: time }), refused);
  });

  it('rejects a message without a required header', async () => {
    for (const name of ['webhook-id', 'webhook-timestamp', 'webhook-signature'])
      for (const value of [undefined, ''])
        await assert.rejects(verify({ ...signed(), [name]: value }), {
          name: 'WebhookVerificationError',
          message: new RegExp(name),
        });
  });

  it('rejects timestamps that are too old or too new, to the second', async () => {
    for (const seconds of [300, -300]) await verify(signed(), { now: time + seconds * 1000 });
    for (const seconds of [301, -301]) await assert.rejects(verify(signed(), { now: time + seconds * 1000 }), refused);
    await verify(signed(), { now: time + 10_000, toleranceSeconds: 10 });
    await assert.rejects(verify(signed(), { now: time + 11_000, toleranceSeconds: 10 }), refused);
    for (const timestamp of ['abc', '-1', '1e9', ' 1', '1.5', '9'.repeat(40)])
      await assert.rejects(verify({ ...signed(), 'webhook-timestamp': timestamp }), refused, timestamp);
  });

  it('rejects an empty or malformed secret', async () => {
    for (const wrong of ['', 'whsec_', 'whsec_%%%'])
      await assert.rejects(verifyWebhook(wrong, signed(), body, { now: time }), TypeError);
  });
});
