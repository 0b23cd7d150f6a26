/** Reads the image of a request: from its body, in any of three formats, or from a URL in it. */
import { z } from 'zod';
import { invalidParameter } from '../../base/failure.ts';
import { createDecoder, type Decoder, type PartialParams } from '../../base/parameter-decoder.ts';
import type { SourceFile } from '../../engine/source-file.ts';
import { type Body, type BodyLimits, readBody } from '../http/body.ts';
import { missingImage } from '../http/errors.ts';
import { deliveryParams } from '../results/output.ts';
import type { RequestContext, RequestWork } from './request-context.ts';

export const IMAGE_PART = 'image';

/** The URL of an image. */
export const sourceUrl = deliveryParams.shape.deliver_to.unwrap();

const urlDecoder = createDecoder(z.strictObject({ url: sourceUrl }));

/** Reads the parameters in a body. */
type BodyDecoder = Pick<Decoder<unknown>, 'fromText' | 'fromJson'>;

export interface ReceivedSource {
  image: SourceFile;
  companions: Partial<Record<string, SourceFile>>;
  /** Parameters from the body. */
  given: PartialParams;
}

/** Reads the body and, if it holds a URL, fetches the image. */
export async function readSource(
  exchange: RequestContext,
  companionNames: readonly string[],
  decoder: BodyDecoder,
  more: Pick<BodyLimits, 'json' | 'longTexts'> = {},
): Promise<ReceivedSource> {
  const { ctx, services, caller, room, record } = exchange;
  const fileBytes = services.plans.fileLimitBytes(caller.account, caller.key);
  const limits = { fileBytes, timeoutSeconds: services.config.uploadTimeoutSeconds, ...more };
  const body = await readBody(ctx, [IMAGE_PART, ...companionNames], room, limits);
  const source = await sourceOf(body, decoder, (url) => fetchSource(exchange, url, fileBytes));
  const { image, companions } = source;
  if (image.data.byteLength === 0) throw missingImage();
  for (const [name, file] of Object.entries(companions))
    if (file?.data.byteLength === 0) throw invalidParameter('an image', name, undefined);
  const files = [image, ...Object.values(companions)];
  record.bytesIn = files.reduce((sum, file) => sum + (file?.data.byteLength ?? 0), 0);
  return source;
}

async function sourceOf(
  body: Body,
  decoder: BodyDecoder,
  fetch: (url: string) => Promise<SourceFile>,
): Promise<ReceivedSource> {
  switch (body.kind) {
    case 'raw':
      return { image: body.image, companions: {}, given: new Map() };
    case 'multipart': {
      const { [IMAGE_PART]: image, ...companions } = Object.fromEntries(body.files);
      if (!image) throw missingImage();
      return { image, companions, given: decoder.fromText(body.texts) };
    }
    case 'json': {
      const { url, ...values } = body.values;
      if (url === undefined) throw missingImage();
      const given = decoder.fromJson(values);
      return { image: await fetch(urlDecoder.complete(urlDecoder.fromJson({ url })).url), companions: {}, given };
    }
  }
}

/**
 * Fetches an image.
 * @throws Failure `invalid_url`, `url_not_allowed`, `url_fetch_failed`, `file_too_large` or `overloaded`
 */
export async function fetchSource(
  { services, room, signal, record }: RequestWork,
  url: string,
  maxBytes: number,
): Promise<SourceFile> {
  if (URL.canParse(url)) record.sourceHost = new URL(url).host;
  const startedAt = performance.now();
  const { data, filename } = await services.outgoing.fetchImage(url, {
    maxBytes,
    signal,
    reserve: (bytes) => room.reserve(bytes),
  });
  record.phases.fetch = performance.now() - startedAt;
  return { data, ...(filename === undefined ? {} : { filename }) };
}
