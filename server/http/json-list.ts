/**
 * Sends JSON responses with long lists in slices, so that a
 * list never blocks the event loop or fills memory as a whole.
 */
import { pipeline, Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import { EventLoopShare } from '../../base/event-loop-share.ts';
import type { Context } from './context.ts';
import { sendJsonText, setJsonHeaders } from './json.ts';

/** Shorter lists are sent in one piece, with a Content-Length. */
const SLICE_CHARACTERS = 64 * 1024;

/**
 * Responds with `{ "<name>": [...items], ...others }`. Reads items
 * as fast as the client does, and stops when it disconnects.
 * @param items read a few at a time; producing one should not block the event loop for long
 */
export async function sendJsonList(
  ctx: Context,
  name: string,
  items: AsyncIterable<object>,
  others: object = {},
): Promise<void> {
  const slices = jsonSlices(name, items, others);
  // Read before the headers are sent, so that a failure to read the first items becomes an error response.
  const first = await slices.next();
  if (first.done) return sendJsonText(ctx, first.value);
  const text = Readable.from(joined(first.value, slices), { objectMode: false });
  // An error in the pipeline destroys its last stream, where Koa handles it.
  ctx.body = setJsonHeaders(ctx) ? pipeline(text, createGzip(), () => {}) : text;
}

/** Yields the text of the response. The last slice is the return value. */
async function* jsonSlices(name: string, items: AsyncIterable<object>, others: object): AsyncGenerator<string, string> {
  const share = new EventLoopShare();
  let slice = `{${JSON.stringify(name)}:[`;
  let separator = '';
  for await (const item of items) {
    slice += separator + JSON.stringify(item);
    separator = ',';
    if (share.isUsedUp) await share.next();
    if (slice.length < SLICE_CHARACTERS) continue;
    yield slice;
    slice = '';
  }
  const rest = JSON.stringify(others).slice(1);
  return `${slice}]${rest === '}' ? '' : ','}${rest}`;
}

async function* joined(first: string, slices: AsyncGenerator<string, string>): AsyncGenerator<string> {
  yield first;
  const last = yield* slices;
  yield last;
}
