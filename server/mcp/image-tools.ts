/** Tools for single images (docs/spec/shapes.md, section 18.2). They run the REST API's operations and return a link. */

import { z } from 'zod';
import { described } from '../../base/described.ts';
import { EventLoopShare } from '../../base/event-loop-share.ts';
import { expected, Failure } from '../../base/failure.ts';
import { createDecoder, type Decoder } from '../../base/parameter-decoder.ts';
import type { AgentTool, OperationResult } from '../../engine/operations/definition.ts';
import { conflictingParameters } from '../../engine/operations/errors.ts';
import { type SourceParams, sourceParams } from '../../engine/operations/parameters.ts';
import { fieldValues, OPERATIONS, type Operation } from '../../engine/operations/registry.ts';
import type { ImageResult } from '../../engine/result.ts';
import type { SourceFile } from '../../engine/source-file.ts';
import { type AnyTool, type Call, type ContentBlock, type ToolResult, tool } from '../../mcp/tool.ts';
import { fileTooLarge } from '../http/errors.ts';
import type { MemoryReservation } from '../http/uploads.ts';
import { summariseImage } from '../images/image-response.ts';
import { checkAdmission, perform } from '../images/perform.ts';
import type { RequestWork } from '../images/request-context.ts';
import { fetchSource, sourceUrl } from '../images/source.ts';
import { storeFinished } from '../results/output.ts';
import { type StoredResult, storedResult } from '../results/stored-result.ts';
import type { HostedToolContext } from './context.ts';
import { INLINE_BYTES } from './message.ts';

/** Maximum size of a result to include as an image block. A model reads it, so larger ones are not worth the cost. */
const MAX_INCLUDED_BYTES = 1_000_000;

/** The fields of every image tool: the image and how to return the result. */
const imageFields = {
  url: sourceUrl.optional().meta({ description: 'Address of the image.', examples: ['https://example.com/photo.jpg'] }),
  data_base64: described(
    z.string().optional(),
    `The image itself in base64, in place of url: at most ${INLINE_BYTES.toLocaleString('en')} bytes once decoded.`,
  ),
  include_image: described(
    z.boolean().default(false),
    `Also show the result, if it has fewer than ${MAX_INCLUDED_BYTES.toLocaleString('en')} bytes.`,
  ),
};
type ImageFields = z.output<z.ZodObject<typeof imageFields>>;

const output = z.object({ result: storedResult });
type Answer = ToolResult<z.output<typeof output>>;

const LINK_NOTE = 'The result is a link that lives one hour and is fetched with the same key.';
const annotations = { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true };

/** Number of stages in progress notifications. */
const STAGES = 3;

type RunTool = (args: ImageFields & Record<string, unknown>, context: HostedToolContext, call: Call) => Promise<Answer>;

/** Runs an operation as a request of the REST API does, with the same result record. */
function runOperation(operation: Operation): RunTool {
  const decoder = createDecoder(z.strictObject({ ...sourceParams.shape, ...operation.params.shape }));
  return async (args, context, call) => await runImageTool(operation, decoder, args, context, call);
}

async function runImageTool(
  operation: Operation,
  decoder: Decoder<unknown>,
  { url, data_base64, include_image, ...asked }: ImageFields & Record<string, unknown>,
  context: HostedToolContext,
  call: Call,
): Promise<Answer> {
  const { services, caller, record, room } = context;
  record.operation = operation.name;
  const params = decoder.complete(decoder.fromJson(asked)) as SourceParams;
  const work: RequestWork = { services, caller, record, room, signal: call.signal };
  await checkAdmission(work, operation, params);
  const image = await readSource(work, url, data_base64);
  record.bytesIn = image.data.byteLength;
  call.progress(1, STAGES, 'The image is here.');
  let made: { stored: StoredResult; blocks: ContentBlock[] } | undefined;
  const response = { summarise: (result: OperationResult) => summariseImage(result as ImageResult) };
  const meter = await perform(operation, work, { image, auxiliaryImages: {}, params }, response, async (finished) => {
    call.progress(2, STAGES, 'It is done and being stored.');
    const result = finished.result as ImageResult;
    // An included result is also sent as base64, which needs more memory.
    const isShown = include_image && result.data.byteLength < MAX_INCLUDED_BYTES;
    room.reserve(result.data.byteLength * (isShown ? 3 : 1));
    const facts = fieldValues(operation, result);
    const stored = await storeFinished(caller.account.id, { ...finished, result, facts }, services);
    made = { stored, blocks: blocksOf(stored, isShown ? result.data : undefined) };
  });
  context.countedAgainst(meter);
  const { stored, blocks } = made!;
  return { structured: { result: stored }, text: describe(stored), blocks };
}

async function readSource(work: RequestWork, url: string | undefined, base64: string | undefined): Promise<SourceFile> {
  const { services, caller } = work;
  const most = services.plans.fileLimitBytes(caller.account, caller.key);
  if (url !== undefined && base64 !== undefined)
    throw conflictingParameters('data_base64', 'Expected url or data_base64 for the image but received both.');
  if (url !== undefined) return await fetchSource(work, url, most);
  if (base64 === undefined || base64 === '')
    throw new Failure('missing_image', expected('url or data_base64', 'the image', undefined), { param: 'url' });
  return { data: await decode(base64, Math.min(most, INLINE_BYTES), work.room) };
}

/**
 * Characters decoded before yielding to the event loop: about a millisecond. A multiple of 4, the base64 group size.
 */
const SLICE_CHARACTERS = 128 * 1024;
const NOT_BASE64 = /[^A-Za-z0-9+/]/;

async function decode(base64: string, mostBytes: number, room: MemoryReservation): Promise<ArrayBuffer> {
  const padding = base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0;
  const bytes = (base64.length / 4) * 3 - padding;
  if (bytes > mostBytes) throw fileTooLarge(mostBytes, 'data_base64');
  if (base64.length % 4 !== 0) throw notBase64();
  room.reserve(bytes);
  const data = new ArrayBuffer(bytes);
  const buffer = Buffer.from(data);
  const end = base64.length - padding;
  const share = new EventLoopShare();
  for (let start = 0; start < end; start += SLICE_CHARACTERS) {
    if (share.isUsedUp) await share.next();
    const slice = base64.slice(start, Math.min(start + SLICE_CHARACTERS, end));
    // Buffer ignores invalid base64 silently, so check first.
    if (NOT_BASE64.test(slice)) throw notBase64();
    buffer.write(slice, (start / 4) * 3, 'base64');
  }
  return data;
}

/** The value is not repeated in the message: it may be part of the image. */
function notBase64(): Failure {
  return new Failure(
    'invalid_parameter',
    'Expected base64 with its padding and nothing else for data_base64 but received something else.',
    { param: 'data_base64' },
  );
}

/** @param shown the file, if it is to be included */
function blocksOf(stored: StoredResult, shown: ArrayBuffer | undefined): ContentBlock[] {
  const { url: uri, filename: name, content_type: mimeType, bytes: size } = stored;
  const link: ContentBlock = { type: 'resource_link', uri, name, mimeType, size };
  if (!shown || !mimeType.startsWith('image/')) return [link];
  return [link, { type: 'image', data: Buffer.from(shown).toString('base64'), mimeType }];
}

const describe = ({ filename, original_bytes, bytes, saved_percent }: StoredResult): string =>
  `${filename}: ${original_bytes} to ${bytes} bytes (${saved_percent}% saved).`;

function toolOf(operation: Operation, { name, title, description, params }: AgentTool): AnyTool<HostedToolContext> {
  return tool({
    name,
    title,
    description: `${description} ${LINK_NOTE}`,
    input: z.strictObject({ ...imageFields, ...params.shape }),
    output,
    annotations,
    run: runOperation(operation),
  });
}

export const imageTools: readonly AnyTool<HostedToolContext>[] = OPERATIONS.flatMap((operation) =>
  (operation.agentTools ?? []).map((declared) => toolOf(operation, declared)),
);
