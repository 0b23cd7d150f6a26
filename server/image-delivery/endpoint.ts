/** `GET /i/{signature}/{options}/{source}`: the image that its address describes. */
import { z } from 'zod';
import { described } from '../../base/described.ts';
import { Failure } from '../../base/failure.ts';
import { fileRequestHeaders, fileResponses, sendFile } from '../files/send.ts';
import type { Context, RequestRecord } from '../http/context.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { sendFailure } from '../http/failures.ts';
import { SOURCE_ERRORS } from '../images/perform.ts';
import { RUN_ERRORS } from '../pipelines/execute.ts';
import type { CheckedAddress } from './checked-addresses.ts';
import { type CacheState, STALE_SECONDS } from './delivery.ts';
import { addressExpired, imageRemoved } from './errors.ts';
import type { ImageRequest } from './make.ts';
import { acceptedFormats } from './negotiate.ts';
import { sendPlaceholder } from './placeholder.ts';
import type { ImageDeliveryServices } from './services.ts';

/** A client that may keep an image for longer would never see a change of its source. */
const MAX_CLIENT_SECONDS = 31_536_000;

async function handle(ctx: Context, services: ImageDeliveryServices): Promise<void> {
  const { record } = ctx.state;
  // Every page may show the image and read its pixels.
  ctx.set({
    'Access-Control-Allow-Origin': '*',
    'Cross-Origin-Resource-Policy': 'cross-origin',
    'Timing-Allow-Origin': '*',
  });
  const address = await services.imageAddresses.check(ctx.path);
  record.accountId = address.caller.account.id;
  record.keyId = address.caller.key.id;
  const { expires, errors, params } = address.options;
  try {
    const secondsLeft = expires === undefined ? Number.POSITIVE_INFINITY : expires - services.now() / 1000;
    if (secondsLeft <= 0) throw addressExpired();
    await answer(ctx, services, address, secondsLeft);
  } catch (error) {
    if (errors !== 'placeholder' || !(error instanceof Failure)) throw error;
    sendFailure(ctx, error);
    sendPlaceholder(ctx, params);
  }
}

async function answer(
  ctx: Context,
  services: ImageDeliveryServices,
  address: CheckedAddress,
  maxSeconds: number,
): Promise<void> {
  const isNegotiated = address.options.params?.format === 'auto';
  if (isNegotiated) ctx.vary('Accept');
  const accepted = isNegotiated ? acceptedFormats(ctx.get('Accept')) : [];
  // Its file may be gone, as after a restored backup. Then it is made again.
  if (await sendImage(ctx, services, { ...address, accepted }, maxSeconds)) return;
  ctx.remove('Content-Range');
  if (!(await sendImage(ctx, services, { ...address, accepted }, maxSeconds))) throw imageRemoved();
}

/** Returns false, and has sent nothing, if the file of the image is gone. */
async function sendImage(
  ctx: Context,
  { imageDelivery, now }: ImageDeliveryServices,
  request: ImageRequest,
  maxSeconds: number,
): Promise<boolean> {
  const { image, state } = await imageDelivery.get(request, ctx.state.record);
  const fresh = Math.max(0, Math.min((Date.parse(image.expiresAt) - now()) / 1000, MAX_CLIENT_SECONDS, maxSeconds));
  const stale = Math.min(STALE_SECONDS, maxSeconds - fresh);
  let isGone = false;
  await sendFile(ctx, {
    ...image,
    secondsLeft: fresh,
    cacheControl: publicFor(Math.floor(fresh), Math.floor(stale)),
    lastModified: image.createdAt,
    isDownload: request.options.download !== undefined,
    async open(range) {
      const body = await imageDelivery.open(image, range);
      isGone = body === undefined;
      return body ?? new Uint8Array();
    },
  });
  if (isGone) return false;
  ctx.set({ 'X-IC-Cache': state, 'Server-Timing': timingOf(state, ctx.state.record) });
  return true;
}

const publicFor = (fresh: number, stale: number): string =>
  `public, max-age=${fresh}, s-maxage=${fresh}, stale-while-revalidate=${stale}`;

/** How long each phase of the work took (W3C Server Timing); for browsers' tools. */
function timingOf(state: CacheState, { phases }: RequestRecord): string {
  const times = Object.entries(phases).map(([name, milliseconds]) => `${name};dur=${milliseconds.toFixed(1)}`);
  return [`cache;desc=${state}`, ...(state === 'miss' ? times : [])].join(', ');
}

const pathParams = z.object({
  signature: described(
    z.string(),
    'The id of an API key, a dot, and the signature in base64url: HMAC-SHA-256 over `/{options}/{source}` as it is in the address, with the SHA-256 of the key as the secret. `unsigned` where the operator allows it.',
    'key_01JD3Z8Q4W0V6S8H2N5B7C9E1F.uZ3qk0m2lq9nYc1Hf3y5rT7vW8xZ0aBcDeFgHiJkLmN',
  ),
  options: described(
    z.string(),
    'Pairs `name:value`, separated by commas: parameters of compress, by their names or short ones (`w`, `h`, `f`, `q`, ...), or `p` for a pipeline. `-` for none. Values are percent-encoded.',
    'w:800,f:auto,q:auto',
  ),
  source: described(
    z.string(),
    '`plain/` and an address, percent-encoded; an address in base64url; or `store:NAME/PATH` for a file in a folder of the operator.',
    'plain/https://example.com/photo.jpg',
  ),
});

export const deliverImage: Endpoint<ImageDeliveryServices> = {
  method: 'get',
  path: '/i/{signature}/{options}/{source}',
  hasLongEnd: true,
  operation: 'deliver_image',
  access: 'open',
  errors: [
    'invalid_signature',
    'expired',
    'not_found',
    ...RUN_ERRORS,
    'rate_limited',
    ...SOURCE_ERRORS.filter((code) => code !== 'missing_image' && code !== 'upload_timeout'),
  ],
  summary: 'An image by its address',
  description:
    'For `<img src>`: the address says how the image is made from its source. The result is cached; only making it costs a request. HEAD answers with the headers alone.',
  tags: ['Delivery'],
  requestParams: { path: pathParams, header: fileRequestHeaders },
  responses: fileResponses,
  handle,
};
