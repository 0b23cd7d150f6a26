/** What the cache holds for an account, and removing it. */
import { z } from 'zod';
import { described } from '../../base/described.ts';
import { Failure } from '../../base/failure.ts';
import { createDecoder } from '../../base/parameter-decoder.ts';
import { conflictingParameters } from '../../engine/operations/errors.ts';
import type { ImagesOf } from '../../storage/ports/delivered-images.ts';
import type { Caller, Context } from '../http/context.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { jsonResponse } from '../http/openapi-parts.ts';
import { readQuery } from '../http/query.ts';
import { count } from '../http/record.ts';
import { deliveryOptions } from './options.ts';
import type { ImageDeliveryServices } from './services.ts';
import { MAX_SOURCE_LENGTH, normalSource } from './source.ts';

const PATH = '/api/v1/delivery/images';

const whichParams = z.strictObject({
  source: described(
    z.string().min(1).max(MAX_SOURCE_LENGTH).optional(),
    'The images of one source: its address, or `store:NAME/PATH`.',
    'https://example.com/photo.jpg',
  ),
  prefix: described(
    z.string().min(1).max(MAX_SOURCE_LENGTH).optional(),
    'The images of all sources that begin with this text.',
    'https://example.com/2026/',
  ),
  tag: deliveryOptions.shape.tag.meta({ description: 'The images whose address has this tag.', examples: ['spring'] }),
  all: described(z.boolean().default(false), 'All images of the account.', true),
});
const decoder = createDecoder(whichParams);

const held = z.object({ images: count('Images in the cache.', 1280), bytes: count('Their size.', 52_428_800) });
const removed = z.object({ removed: count('Images removed.', 12) });

async function list(ctx: Context, { imageDelivery }: ImageDeliveryServices, { account }: Caller): Promise<void> {
  ctx.body = (await imageDelivery.total(account.id)) satisfies z.output<typeof held>;
}

async function purge(ctx: Context, { imageDelivery }: ImageDeliveryServices, { account }: Caller): Promise<void> {
  const which = whichOf(readQuery(ctx, decoder));
  ctx.body = { removed: await imageDelivery.purge(account.id, which) } satisfies z.output<typeof removed>;
}

function whichOf({ source, prefix, tag, all }: z.output<typeof whichParams>): ImagesOf {
  const given: ImagesOf[] = [];
  if (source !== undefined) given.push({ source: normalSource(source) });
  if (prefix !== undefined) given.push({ prefix });
  if (tag !== undefined) given.push({ tag });
  if (all) given.push({ all: true });
  const [which, another] = given;
  if (another)
    throw conflictingParameters(
      Object.keys(another)[0]!,
      'Expected one of source, prefix, tag and all for the request but received several.',
    );
  if (!which)
    throw new Failure('invalid_parameter', 'Expected source, prefix, tag or all for the request but received none.', {
      param: 'source',
    });
  return which;
}

export const deliveryCacheEndpoints: readonly Endpoint<ImageDeliveryServices>[] = [
  {
    method: 'get',
    path: PATH,
    operation: 'list_delivered_images',
    access: 'key',
    summary: 'How many images the delivery cache holds for the account',
    tags: ['Delivery'],
    noStore: true,
    responses: { '200': jsonResponse('What it holds.', held) },
    handle: list,
  },
  {
    method: 'delete',
    path: PATH,
    operation: 'purge_delivered_images',
    access: 'key',
    errors: ['invalid_parameter', 'conflicting_parameters'],
    summary: 'Remove images from the delivery cache',
    description:
      'Of one source, of all sources with a prefix, with a tag, or all. The next request for one of them makes it again. Copies in browsers and in other caches stay until they expire.',
    tags: ['Delivery'],
    requestParams: { query: whichParams },
    responses: { '200': jsonResponse('They are gone.', removed) },
    handle: purge,
  },
];
