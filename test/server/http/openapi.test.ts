import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { Validator } from '@seriousme/openapi-schema-validator';
import { compressParams } from '../../../engine/operations/compress/params.ts';
import { sourceParams } from '../../../engine/operations/parameters.ts';
import { DOCUMENTED } from '../../../server/endpoints.ts';
import { ANSWER_HEADERS } from '../../../server/http/headers.ts';
import { createOpenApi } from '../../../server/http/openapi.ts';
import type { OpenApiPart } from '../../../server/http/openapi-document.ts';
import { withoutSharedComponents } from '../../../server/http/shared-components.ts';
import { deliveryParams } from '../../../server/results/output.ts';
import { repositoryFile } from '../../support/repository.ts';
import { withService } from '../../support/service.ts';
import { verifies } from '../../support/verifies.ts';

const text = readFileSync(repositoryFile('openapi.json'), 'utf8');
const checkedIn = JSON.parse(text);
/** The document with every part written out where it is used. */
const resolved = withoutSharedComponents(checkedIn) as OpenApiPart;

describe('the OpenAPI document', () => {
  it('is valid OpenAPI 3.1, API version 1.0.0', async () => {
    verifies('versioning.openapi');
    const validator = new Validator();
    const { valid, errors } = await validator.validate(structuredClone(checkedIn));
    assert.deepEqual(errors ?? [], []);
    assert.ok(valid);
    assert.equal(validator.version, '3.1');
    assert.equal(checkedIn.info.version, '1.0.0');
  });

  it('is less than 300 kB: repeated parameters, headers, responses and properties of bodies are components', () => {
    assert.ok(Buffer.byteLength(text) < 300_000, `${Buffer.byteLength(text)} bytes`);
    const { post } = checkedIn.paths['/api/v1/compress'];
    assert.deepEqual(post.responses['500'], { $ref: '#/components/responses/Error500' });
    assert.deepEqual(checkedIn.components.responses.Error500.headers['X-Request-Id'], {
      $ref: '#/components/headers/X-Request-Id',
    });
    assert.deepEqual(post.parameters[0], { $ref: '#/components/parameters/filename' });
    assert.deepEqual(post.requestBody.content['application/json'].schema.properties.page, {
      $ref: '#/components/schemas/Property.page',
    });
    // A property that the records or steps of several schemas have.
    const { schemas } = checkedIn.components;
    assert.deepEqual(schemas.Job.properties.started_at, { $ref: '#/components/schemas/Property.started_at' });
    // An answer has all fields of the settings that a request may omit.
    const { allOf, required } = schemas.SiteScanSettingsOutput;
    assert.deepEqual(allOf, [{ $ref: '#/components/schemas/SiteScanSettings' }]);
    assert.deepEqual(required, Object.keys(schemas.SiteScanSettings.properties));
    // Two responses with one name are two components.
    assert.equal(checkedIn.components.responses.Error429.description, '`rate_limited`');
    assert.match(checkedIn.components.responses['Error429-compress'].description, /`quota_exceeded`/);
  });

  it('means with components what the declarations say without them', () => {
    const declared = JSON.parse(JSON.stringify(createOpenApi(DOCUMENTED)));
    assert.deepEqual(resolved, declared);
    assert.equal(declared.components.responses, undefined);
  });

  it('is served exactly as it is checked in, without a key', async () => {
    verifies('versioning.openapi');
    await withService(async ({ origin }) => {
      for (const path of ['/openapi.json', '/api/v1/openapi.json']) {
        const answer = await fetch(origin + path);
        assert.equal(answer.status, 200);
        assert.deepEqual(await answer.json(), checkedIn);
      }
    });
  });

  it('describes every parameter of compress with its bounds and meaning', () => {
    const { parameters } = resolved.paths['/api/v1/compress'].post;
    const names = [sourceParams, compressParams, deliveryParams].flatMap(({ shape }) => Object.keys(shape));
    assert.deepEqual(
      parameters.map(({ name }: { name: string }) => name),
      names,
    );
    for (const { name, in: place, description, schema } of parameters) {
      assert.equal(place, 'query');
      assert.ok(description && schema.examples.length > 0, name);
    }
    const quality = parameters.find(({ name }: { name: string }) => name === 'quality').schema;
    assert.deepEqual([quality.minimum, quality.maximum, quality.default], [1, 100, 75]);
  });

  it('describes the three request bodies, every header and the errors', () => {
    const { requestBody, responses, security } = resolved.paths['/api/v1/compress'].post;
    assert.deepEqual(Object.keys(requestBody.content), [
      'application/octet-stream',
      'image/*',
      'multipart/form-data',
      'application/json',
    ]);
    assert.deepEqual(Object.keys(requestBody.content['multipart/form-data'].schema.properties), [
      'image',
      'watermark_image',
    ]);
    const { 'Retry-After': _, ...headers } = ANSWER_HEADERS;
    assert.deepEqual(Object.keys(responses['200'].headers), Object.keys(headers));
    assert.ok(responses['503'].headers['Retry-After']);
    for (const status of [400, 401, 403, 408, 413, 415, 422, 500, 502, 503, 504, 507])
      assert.match(responses[status].content['application/json'].schema.$ref, /Error$/);
    assert.deepEqual(security ?? resolved.security, [{ apiKey: [] }]);
  });

  it('names the authentication of each endpoint', () => {
    const { paths, components } = resolved;
    for (const [path, methods] of Object.entries<Record<string, { security?: unknown; description: string }>>(paths)) {
      for (const { security = resolved.security, description } of Object.values(methods)) {
        if (path.startsWith('/api/v1/admin/')) assert.deepEqual(security, [{ adminToken: [] }]);
        if (path.startsWith('/api/v1/keys')) {
          assert.deepEqual(security, [{ apiKey: [] }]);
          assert.match(description, /live key with the scope `admin`/);
        }
      }
    }
    assert.deepEqual(Object.keys(components.securitySchemes), ['apiKey', 'adminToken']);
    const { post, get } = paths['/api/v1/admin/accounts'];
    assert.equal(get.responses['429'].description, '`rate_limited`');
    assert.match(post.responses['401'].description, /`missing_key`, `invalid_key`/);
    assert.deepEqual(post.requestBody.content['application/json'].schema.required, ['name', 'plan']);
  });

  it('has examples that are valid in its own schemas', () => {
    for (const [declaration, name] of [sourceParams, compressParams, deliveryParams].flatMap((declared) =>
      Object.keys(declared.shape).map((key) => [declared, key] as const),
    )) {
      const schema = declaration.shape[name as keyof typeof declaration.shape] as {
        meta(): { examples?: unknown[] };
        parse(value: unknown): unknown;
      };
      for (const example of schema.meta()?.examples ?? []) assert.deepEqual(schema.parse(example), example);
    }
  });
});

describe('GET /api/v1/formats', () => {
  it('lists the formats that can be read and written', async () => {
    verifies('formats.endpoint', 'versioning.path-prefix');
    await withService(async ({ call }) => {
      const answer = await call('/api/v1/formats');
      assert.equal(answer.status, 200);
      assert.equal(answer.headers.get('x-quota-meter'), 'none');
      const { formats, operations, max_pixels } = (await answer.json()) as {
        formats: { id: string; read: boolean; write: boolean; extensions: string[]; content_types: string[] }[];
        operations: Record<string, { output: string[]; default: string }>;
        max_pixels: number;
      };
      const ids = formats.map(({ id }) => id);
      assert.deepEqual(ids, [...ids].sort());
      const webp = formats.find(({ id }) => id === 'webp');
      assert.deepEqual(
        [webp?.read, webp?.write, webp?.content_types, webp?.extensions],
        [true, true, ['image/webp'], ['webp']],
      );
      assert.equal(formats.find(({ id }) => id === 'pdf')?.write, true);
      assert.equal(operations.compress?.default, 'auto');
      assert.ok(operations.compress?.output.every((id) => formats.find((format) => format.id === id)?.write));
      assert.equal(max_pixels, 300_000_000);
    });
  });
});
