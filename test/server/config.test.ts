import assert from 'node:assert/strict';
import { join, resolve } from 'node:path';
import { describe, it } from 'node:test';
import { Failure } from '../../base/failure.ts';
import { describeConfig, type Environment, loadConfig, SETTINGS } from '../../server/config.ts';

function faultsOf(env: Environment): string[] {
  try {
    loadConfig(env);
  } catch (error) {
    assert.ok(error instanceof Failure);
    return error.message.split('\n');
  }
  return [];
}

describe('loadConfig', () => {
  it('uses every default for an empty environment', () => {
    const config = loadConfig({});
    assert.equal(config.host, '127.0.0.1');
    assert.equal(config.port, 8080);
    assert.equal(config.baseUrl, undefined);
    assert.equal(config.dataDir, resolve('data'));
    assert.equal(config.modelsDir, resolve('data', 'models'));
    assert.equal(config.modelsFetch, true);
    assert.equal(config.modelsUrl, undefined);
    assert.equal(config.mailFrom, 'Imagecrew <noreply@localhost>');
    assert.equal(config.logLevel, 'info');
    assert.equal(config.taskTimeoutSeconds, 30);
    assert.deepEqual(config.allowPrivateAddresses, []);
    assert.ok(config.workers >= 1);
    assert.ok(config.uploadBytes >= 512 * 2 ** 20);
  });

  it('reads typed values', () => {
    const config = loadConfig({
      IC_PORT: '0',
      IC_BASE_URL: 'https://images.example.com/',
      IC_DATA_DIR: '/srv/imagecrew',
      IC_ALLOW_PRIVATE_ADDRESSES: '10.0.0.0/8, fd00::/8',
      IC_CORS_ORIGINS: '*,https://example.com',
      IC_LOG_LEVEL: 'debug',
      IC_MODELS_URL: 'http://192.0.2.1:8000/models/',
      IC_MODELS_FETCH: 'false',
      PATH: '/bin',
    });
    assert.equal(config.port, 0);
    assert.equal(config.baseUrl, 'https://images.example.com');
    assert.equal(config.modelsDir, join('/srv/imagecrew', 'models'));
    assert.deepEqual(config.allowPrivateAddresses, ['10.0.0.0/8', 'fd00::/8']);
    assert.deepEqual(config.corsOrigins, ['*', 'https://example.com']);
    assert.equal(config.logLevel, 'debug');
    assert.equal(config.modelsUrl, 'http://192.0.2.1:8000/models');
    assert.equal(config.modelsFetch, false);
  });

  it('sends notices from the host of the public address, if that is a name', () => {
    const from = (env: Environment) => loadConfig(env).mailFrom;
    assert.equal(from({ IC_BASE_URL: 'https://images.example.com:8443/a' }), 'Imagecrew <noreply@images.example.com>');
    assert.equal(from({ IC_BASE_URL: 'http://192.0.2.1' }), 'Imagecrew <noreply@localhost>');
    assert.equal(from({ IC_BASE_URL: 'http://[2001:db8::1]:8080' }), 'Imagecrew <noreply@localhost>');
    for (const sender of ['a@example.com', 'Bildmannschaft Köln <a@example.com>'])
      assert.equal(from({ IC_MAIL_FROM: sender, IC_BASE_URL: 'https://example.org' }), sender);
  });

  it('treats an empty variable as unset', () => {
    assert.equal(loadConfig({ IC_ADMIN_TOKEN: '', IC_PORT: '' }).adminToken, undefined);
  });

  it('returns a frozen object', () => {
    const config = loadConfig({ IC_CORS_ORIGINS: '*' });
    assert.throws(() => Object.assign(config, { port: 1 }), TypeError);
    assert.throws(() => (config.corsOrigins as string[]).push('https://example.com'), TypeError);
  });

  it('accepts both bounds of a number and rejects values beyond', () => {
    assert.equal(loadConfig({ IC_WORKERS: '1' }).workers, 1);
    assert.equal(loadConfig({ IC_WORKERS: '256' }).workers, 256);
    assert.deepEqual(faultsOf({ IC_WORKERS: '0' }), [
      'Expected an integer from 1 to 256 for IC_WORKERS but received "0".',
    ]);
    assert.equal(faultsOf({ IC_WORKERS: '257' }).length, 1);
  });

  for (const value of ['0x10', '1e3', '8080.5', '-1', ' 8080', '65536', 'abc', '99999999999999999999']) {
    it(`rejects IC_PORT=${value}`, () => {
      assert.deepEqual(faultsOf({ IC_PORT: value }), [
        `Expected an integer from 0 to 65535 for IC_PORT but received "${value}".`,
      ]);
    });
  }

  for (const [name, value] of [
    ['IC_BASE_URL', 'images.example.com'],
    ['IC_BASE_URL', 'https://example.com/?a=1'],
    ['IC_SMTP_URL', 'https://mail.example.com'],
    ['IC_MAIL_FROM', 'noreply'],
    ['IC_MAIL_FROM', 'Imagecrew noreply@example.com'],
    ['IC_MAIL_FROM', 'eve@example.org, Imagecrew <noreply@example.com>'],
    ['IC_MAIL_FROM', 'Image\r\nBcc: crew <noreply@example.com>'],
    ['IC_MAIL_FROM', '<noreply@example.com>'],
    ['IC_ALLOW_PRIVATE_ADDRESSES', '10.0.0.1'],
    ['IC_ALLOW_PRIVATE_ADDRESSES', '10/8'],
    ['IC_ALLOW_PRIVATE_ADDRESSES', '10.0.0.0/33'],
    ['IC_ALLOW_PRIVATE_ADDRESSES', '10.0.0.0/8,'],
    ['IC_CORS_ORIGINS', 'https://example.com/path'],
    ['IC_CORS_ORIGINS', 'example.com'],
    ['IC_MODELS_URL', 'file:///srv/models'],
    ['IC_MODELS_URL', 'https://anna:secret@mirror.example.com/models'],
    ['IC_MODELS_FETCH', 'no'],
    ['IC_STORAGE_URL', 'https://bucket.example.com'],
    ['IC_STORAGE_URL', 's3://'],
    ['IC_STORAGE_URL', 's3://Bucket'],
    ['IC_STORAGE_URL', 's3://bucket/../other'],
    ['IC_STORAGE_URL', 's3://bucket//folder'],
    ['IC_STORAGE_URL', 's3://bucket/a?b'],
    ['IC_S3_ENDPOINT', 'https://anna:secret@s3.example.com'],
    ['IC_S3_ENDPOINT', 's3.example.com'],
    ['IC_S3_PATH_STYLE', '1'],
    ['IC_LOG_LEVEL', 'INFO'],
    ['IC_HOST', 'a b'],
  ] as const) {
    it(`rejects ${name}=${value}`, () => {
      const faults = faultsOf({ [name]: value });
      assert.equal(faults.length, 1);
      assert.match(faults[0] ?? '', new RegExp(`^Expected .+ for (an item of )?${name} but received .+[.]$`));
    });
  }

  it('takes a folder of a bucket of any depth', () => {
    for (const [given, read] of [
      ['s3://bucket', 's3://bucket'],
      ['s3://my-bucket.of.images/', 's3://my-bucket.of.images'],
      ['s3://bucket/a/b.c/D_e-1/', 's3://bucket/a/b.c/D_e-1'],
    ] as const)
      assert.equal(loadConfig({ IC_STORAGE_URL: given }).storageUrl, read);
  });

  it('reports every error, including unknown variables', () => {
    assert.deepEqual(faultsOf({ IC_PORT: 'x', IC_LOG_LEVEL: 'loud', IC_PROT: '1' }), [
      'Expected an integer from 0 to 65535 for IC_PORT but received "x".',
      'Expected one of fatal, error, warn, info, debug, trace, silent for IC_LOG_LEVEL but received "loud".',
      'Expected the name of a setting for the environment but received "IC_PROT". Did you mean IC_PORT?',
    ]);
  });

  it('names the wrong item of a list, and suggests no name that is not similar', () => {
    assert.deepEqual(
      faultsOf({ IC_TRUSTED_PROXIES: '10.0.0.0/8, 10.1, x', IC_KUBERNETES: 'x', IC_STORAGE_BYTES: '10G' }),
      [
        'Expected a CIDR block like 10.0.0.0/8 for an item of IC_TRUSTED_PROXIES but received "10.1".',
        'Expected an integer of bytes from 0 to 1125899906842624 for IC_STORAGE_BYTES but received "10G".',
        'Expected the name of a setting for the environment but received "IC_KUBERNETES". Remove it; docs/guides/operating.md, "Settings", says how to list all.',
      ],
    );
  });

  it('does not show an invalid secret', () => {
    const [fault = ''] = faultsOf({ IC_SMTP_URL: 'mail://user:hunter2@mail.example.com' });
    assert.match(fault, /IC_SMTP_URL/);
    assert.doesNotMatch(fault, /hunter2/);
  });
});

describe('describeConfig', () => {
  it('has one row for every setting and masks secrets', () => {
    const config = loadConfig({ IC_ADMIN_TOKEN: 'correct-horse', IC_PORT: '9000' });
    const rows = describeConfig(config);
    assert.equal(rows.length, Object.keys(SETTINGS).length);
    const byName = new Map(rows.map((row) => [row.name, row]));
    assert.equal(byName.get('IC_PORT')?.value, '9000');
    assert.equal(byName.get('IC_PORT')?.default, '8080');
    assert.equal(byName.get('IC_ADMIN_TOKEN')?.value, '***');
    assert.equal(byName.get('IC_METRICS_TOKEN')?.value, '');
    assert.doesNotMatch(JSON.stringify(rows), /correct-horse/);
    assert.ok(rows.every((row) => row.meaning.endsWith('.') && row.type !== ''));
  });
});
