/** The curl command quotes form values, so that curl does not interpret them, and fails where the request fails. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { toCurl } from '../../../server/console/request-code.ts';
import { withServer } from '../../support/http-server.ts';
import { skipWithout } from '../../support/tool.ts';

describe('the curl command', () => {
  it('sends form values unchanged', { skip: skipWithout('bash', 'curl') }, async () => {
    const texts = {
      one: '{"a": "b; type=c"}',
      two: '@file',
      three: '<file',
      four: '"quoted" and \'so\'',
      five: 'plain',
    };
    await withServer(
      (request, response) => void request.pipe(response),
      async ({ origin }) => {
        const text = toCurl({ address: origin, method: 'POST', path: '/form', parts: texts });
        const { stdout } = await promisify(execFile)('bash', ['-c', text], { timeout: 30_000 });
        for (const value of Object.values(texts)) assert.ok(stdout.includes(`\r\n\r\n${value}\r\n`), value);
      },
    );
  });

  it('fails where the request fails, and shows the error', { skip: skipWithout('bash', 'curl') }, async () => {
    await withServer(
      (_, response) => void response.writeHead(403).end('{"error":{}}'),
      async ({ origin }) => {
        const text = toCurl({ address: origin, method: 'GET', path: '/usage' });
        await assert.rejects(promisify(execFile)('bash', ['-c', text], { timeout: 30_000 }), {
          code: 22,
          stdout: '{"error":{}}',
        });
      },
    );
  });
});
