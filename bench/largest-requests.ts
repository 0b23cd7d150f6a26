/** The largest requests that the service accepts, and those of which it must read the most before it refuses them. */
import { randomBytes } from 'node:crypto';
import { MAX_STEPS } from '../engine/pipeline/check.ts';
import { MAX_URL_LENGTH } from '../server/http/web-address.ts';
import { INLINE_BYTES } from '../server/mcp/message.ts';
import { MAX_ADDRESSES, MAX_LIST_BYTES } from '../server/sites/create.ts';

export interface LargestRequest {
  /** Description for people. */
  description: string;
  path: string;
  contentType: string;
  body: Buffer;
  /** Expected status of the response. */
  status: number;
}

/** Images of a JSON job in the largest plan. */
const JOB_IMAGES = 100;
/** Far more than a job may have. */
const TOO_MANY_JOB_IMAGES = 3300;
const TOO_MANY_PARTS = 50_000;

/** @param site address of a website that the service can reach, without a trailing slash */
export function largestRequests(site: string): LargestRequest[] {
  const lists: [string, string][] = [
    ['addresses of a website', lines(MAX_LIST_BYTES, (index) => `${site}/${index}`)],
    ['as many addresses as a list may have', `${site}\n${lines(MAX_LIST_BYTES, (index) => `a.io/${index % 1000}`)}`],
    ['the longest addresses', `${site}\n${lines(MAX_LIST_BYTES, (index) => longAddress(site, index))}`],
    [
      'the longest addresses with letters to escape',
      `${site}\n${lines(MAX_LIST_BYTES, (index) => padded(`${site}/${index}/`, '\u010d', MAX_URL_LENGTH))}`,
    ],
    [
      'the longest names of hosts with letters to encode',
      `${site}\n${lines(MAX_LIST_BYTES, (index) => `${index}.${'\u010d\u0161.'.repeat(60)}si`)}`,
    ],
    ['empty lines', `${site}${'\n'.repeat(MAX_LIST_BYTES - site.length)}`],
    ['one line', `${site}/${' '.repeat(MAX_LIST_BYTES - site.length - 1)}`],
  ];
  return [
    ...lists.map(([name, urls]) =>
      json(`a list of ${name}`, '/api/v1/sites/scans', 201, { source: 'list', review: true, urls }),
    ),
    json(`a job of ${JOB_IMAGES} images`, '/api/v1/jobs', 202, {
      inputs: inputs(site, JOB_IMAGES),
      pipeline: longPipeline(),
    }),
    json(`a job of ${TOO_MANY_JOB_IMAGES} images`, '/api/v1/jobs', 400, { inputs: inputs(site, TOO_MANY_JOB_IMAGES) }),
    multipart(`${TOO_MANY_PARTS} parts`, TOO_MANY_PARTS, 400),
    ...['compress_image', 'remove_background'].map((tool) => inline(`an inline image for ${tool}`, tool)),
  ];
}

/** Returns lines with this many bytes in all, and no more lines than a list may have. */
function lines(bytes: number, write: (index: number) => string): string {
  const written: string[] = [];
  for (let index = 0, left = bytes - 100; written.length < MAX_ADDRESSES - 1; index += 1) {
    const line = write(index);
    left -= Buffer.byteLength(line) + 1;
    if (left < 0) break;
    written.push(line);
  }
  return written.join('\n');
}

function padded(start: string, letter: string, characters: number): string {
  return start + letter.repeat(characters - start.length);
}

function longAddress(site: string, index: number): string {
  return padded(`${site}/${index}/`, 'a', MAX_URL_LENGTH);
}

function inputs(site: string, count: number): { url: string }[] {
  return Array.from({ length: count }, (_, index) => ({ url: padded(`${site}/${index}/`, 'a', 1200) }));
}

/** A pipeline with the maximum number of steps and the maximum length. */
function longPipeline() {
  const conditions = (count: number) =>
    Array.from({ length: count }, () => ({ format: ['jpeg', 'png'], min_width: 1 }));
  const steps = Array.from({ length: MAX_STEPS }, () => ({
    op: 'resize',
    when: { any: conditions(20) },
    params: { width: 100 },
  }));
  return { steps };
}

function json(description: string, path: string, status: number, value: unknown): LargestRequest {
  return { description, path, status, contentType: 'application/json', body: Buffer.from(JSON.stringify(value)) };
}

function multipart(description: string, count: number, status: number): LargestRequest {
  const parts = Array.from(
    { length: count },
    (_, index) => `--b\r\nContent-Disposition: form-data; name="p${index}"\r\n\r\n1\r\n`,
  );
  return {
    description,
    path: '/api/v1/compress',
    status,
    contentType: 'multipart/form-data; boundary=b',
    body: Buffer.from(`${parts.join('')}--b--\r\n`),
  };
}

function inline(description: string, name: string): LargestRequest {
  const data_base64 = randomBytes(INLINE_BYTES).toString('base64');
  const params = { name, arguments: { data_base64 } };
  return json(description, '/api/mcp', 200, { jsonrpc: '2.0', id: 1, method: 'tools/call', params });
}
