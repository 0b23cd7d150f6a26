import assert from 'node:assert/strict';
import { it } from 'node:test';
import { toServicePath } from '../../../console/ui/files.ts';

it('a file is fetched from the origin of the page, whatever the public address of the service', () => {
  assert.equal(toServicePath('https://img.example.com/base/api/v1/files/file_1'), '/api/v1/files/file_1');
  assert.equal(toServicePath('http://127.0.0.1:8080/api/v1/files/file_1?a=/b#c'), '/api/v1/files/file_1?a=/b');
});
