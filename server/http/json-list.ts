/** JSON answers with long lists, written in slices: neither the event loop nor memory has to take a list in one piece. */
import { pipeline, Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import { EventLoopShare } from '../../base/event-loop-share.ts';
import type { Context } from './context.ts';
import { sendJsonText, setJsonHeaders } from './json.ts';

/** Shorter lists are sent in one piece, with their length. */
const SLICE_CHARACTERS = 64 * 1024;

/**
 * Answers `{ "<name>": [...items], ...others }`. Items are taken as the client reads, and no longer once it has gone.
 * @param items read a few at a time: what it takes to make the next one should not hold the event loop for long
 */
export async function sendJsonList(
  ctx: Context,
  name: string,
  items: AsyncIterable<object>,
  others: object = {},
): Promise<void> {
  const slices = jsonSlices(name, items, others);
  // Before the headers are sent, so that a failure of reading the first items is answered as one.
  const first = await slices.next();
  if (first.done) return sendJsonText(ctx, first.value);
  const text = Readable.from(joined(first.value, slices), { objectMode: false });
  // What fails in the pipeline fails its last stream, where Koa hears of it.
  ctx.body = setJsonHeaders(ctx) ? pipeline(text, createGzip(), () => {}) : text;
}

/** The text of the answer; the last slice is returned. */
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
