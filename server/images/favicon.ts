/** POST /api/v1/favicon: returns a ZIP of icons, a web manifest and HTML (docs/spec/interface.md, "Favicon pack"). */
import { z } from 'zod';
import { faviconParams } from '../../engine/operations/favicon/params.ts';
import type { Outcome } from '../../engine/result.ts';
import type { TaskResult } from '../../engine/task.ts';
import { ONE_REQUEST } from '../account/credits.ts';
import { ANSWER_HEADERS } from '../http/headers.ts';
import { JSON_TYPE } from '../http/json-body.ts';
import { deliveryParams, sendResult, storeResult } from '../results/output.ts';
import { storedResult } from '../results/stored-result.ts';
import type { OperationDeclaration } from './declaration.ts';
import { sourceOperationDocumentation } from './documentation.ts';
import type { RequestContext } from './request-context.ts';
import { type FinishedTask, sourceOperation } from './source-operation.ts';

export const FAVICON_ZIP = { filename: 'favicon.zip', contentType: 'application/zip' } as const;
/** Not an image: the only result format that is not a codec. */
export const ZIP_FORMAT = 'zip';
/** A pack is not made to be smaller than its source. */
const OUTCOME: Outcome = 'done';

const params = faviconParams.extend({ output: deliveryParams.shape.output });
type Params = z.output<typeof params>;

const { id, url, expires_at, bytes, warnings, duration_ms, quota_meter, test_mode } = storedResult.shape;
export const storedFaviconZip = z
  .object({
    id,
    url,
    expires_at,
    filename: z.string().meta({ description: 'Suggested name.', examples: [FAVICON_ZIP.filename] }),
    bytes,
    files: z
      .array(z.string())
      .meta({ description: 'Names of the files in the ZIP.', examples: [['favicon.ico', 'favicon-16x16.png']] }),
    warnings,
    duration_ms,
    quota_meter,
    test_mode,
  })
  .meta({ id: 'StoredFaviconPack' });
type StoredPack = z.output<typeof storedFaviconZip>;

/** Returns the fields that a pack has in every kind of response. */
export function describeFaviconZip({ data, files, warnings }: TaskResult<'favicon'>, durationMs: number) {
  return {
    filename: FAVICON_ZIP.filename,
    bytes: data.byteLength,
    files,
    warnings,
    duration_ms: Math.round(durationMs),
  };
}

const headers = z.object(ANSWER_HEADERS).pick({
  'X-IC-Original-Bytes': true,
  'X-IC-Bytes': true,
  'X-IC-Outcome': true,
  'X-IC-Warnings': true,
  'X-IC-Duration-Ms': true,
  'X-Quota-Meter': true,
  'RateLimit-Policy': true,
  RateLimit: true,
  'X-IC-Test-Mode': true,
  'X-Request-Id': true,
  'Content-Disposition': true,
});

export const faviconOperation: OperationDeclaration<'favicon', typeof faviconParams> = {
  task: 'favicon',
  path: '/api/v1/favicon',
  summary: 'Build a ZIP of favicon files, a web manifest and the lines for the page head',
  description:
    'The ZIP holds favicon.ico (16, 32 and 48 pixels), PNG icons of 16, 32, 48, 180 (Apple), 192 and 512 pixels, a maskable one of 512, site.webmanifest and favicon.html. Its files are meant for the root of a site. The picture is centred, never cropped and never enlarged; an SVG is drawn anew at each size. The Apple and the maskable icon are painted with the background; on the maskable one, all that can be seen of the picture lies within the circle of 80 % of the side that every launcher shows. A picture whose longer side is under 512 pixels brings the warning source_small.',
  params: faviconParams,
  errors: [],
  lane: 'interactive',
  cost: ONE_REQUEST,
  toInput: (image, params) => ({ image, params }),
};

export const favicon = sourceOperation<'favicon', Params>({
  ...faviconOperation,
  params,
  errors: ['unsupported_output', 'storage_full'],
  document: (declaration) => ({
    ...sourceOperationDocumentation({ ...faviconOperation, params: declaration }),
    responses: {
      '200': {
        description: 'The ZIP; with output=json a link to it.',
        headers,
        content: { [FAVICON_ZIP.contentType]: { schema: {} }, [JSON_TYPE]: { schema: storedFaviconZip } },
      },
    },
  }),
  toInput: (image, { output: _output, ...own }, companions, allowance) =>
    faviconOperation.toInput(image, own, companions, allowance),
  summarise: ({ source, data, phases }) => ({
    pixels: source.width * source.height,
    bytes: data.byteLength,
    outcome: OUTCOME,
    phases,
  }),
  async answer(exchange, finished, { output }) {
    const { ctx, room } = exchange;
    const { result, durationMs } = finished;
    room.reserve(result.data.byteLength);
    if (output === 'json') ctx.body = await store(exchange, finished);
    else sendResult(ctx, { ...result, ...FAVICON_ZIP, outcome: OUTCOME, durationMs, disposition: 'attachment' });
    ctx.set('Cache-Control', 'no-store');
  },
});

async function store(
  { caller, services }: RequestContext,
  { result, durationMs, meter, testMode }: FinishedTask<'favicon'>,
): Promise<StoredPack> {
  const description = { ...FAVICON_ZIP, format: ZIP_FORMAT, width: null, height: null };
  const { link } = await storeResult(caller.account.id, { data: result.data, ...description }, services);
  return {
    ...link,
    ...describeFaviconZip(result, durationMs),
    quota_meter: meter,
    test_mode: testMode,
  };
}
