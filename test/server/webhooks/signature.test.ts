import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { newSecret, signatureHeaders } from '../../../server/webhooks/signature.ts';
import { verifies } from '../../support/verifies.ts';

/** The test vector of docs/spec/shapes.md, section 11. */
const SECRET = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=';
const SIGNED = {
  id: 'msg_01JD3Z0000EXAMPLE000000000',
  time: 1_795_238_400_000,
  body: '{"type":"job.finished","timestamp":"2026-11-21T05:20:00.000Z","data":{"id":"job_example","status":"done","results":[{"index":0,"status":"done","url":"https://img.example.com/api/v1/files/file_example"}]}}',
};

describe('a signature', () => {
  verifies('webhook.signed');

  it('matches the test vector', () => {
    assert.deepEqual(signatureHeaders(SIGNED, [SECRET]), {
      'webhook-id': SIGNED.id,
      'webhook-timestamp': '1795238400',
      'webhook-signature': 'v1,CrlltSGsKeIiSRNHNIifjD2H0+zzg9CJW/CvEt1V//Y=',
    });
  });

  it('matches the reference library, for any text and secret', () => {
    for (const body of ['', '{}', 'č🙂\u0000\n', 'x'.repeat(100_000)]) {
      const secret = newSecret();
      const { 'webhook-signature': signature } = signatureHeaders({ ...SIGNED, body }, [secret]);
      assert.equal(signature, new Webhook(secret).sign(SIGNED.id, new Date(SIGNED.time), body));
    }
  });

  it('uses the start of the attempt in whole seconds', () => {
    const late = signatureHeaders({ ...SIGNED, time: SIGNED.time + 999 }, [SECRET]);
    assert.deepEqual(late, signatureHeaders(SIGNED, [SECRET]));
  });

  it('is followed by the signature with the previous secret', () => {
    const time = Date.now();
    const secrets = [newSecret(), newSecret()];
    const headers = signatureHeaders({ ...SIGNED, time }, secrets);
    assert.equal(headers['webhook-signature']?.split(' ').length, 2);
    for (const secret of secrets) new Webhook(secret).verify(SIGNED.body, headers);
    assert.throws(() => new Webhook(newSecret()).verify(SIGNED.body, headers), /No matching signature/);
    assert.throws(() => new Webhook(secrets[0]!).verify(`${SIGNED.body} `, headers), /No matching signature/);
  });
});

describe('a secret', () => {
  it('is whsec_ and 32 random bytes in base64', () => {
    const [one, other] = [newSecret(), newSecret()];
    assert.match(one, /^whsec_[A-Za-z0-9+/]{43}=$/);
    assert.equal(Buffer.from(one.slice(6), 'base64').length, 32);
    assert.notEqual(one, other);
  });
});
