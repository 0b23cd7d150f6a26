/** Operations on one image. */
import { type FileAnswer, ImageAnswer } from './answer.ts';
import { type CallOptions, jsonBody } from './calls.ts';
import { formOf, type Part } from './form.ts';
import { type ImageBytes, type ImageInput, isAddress, type Source, sourceOf } from './image-input.ts';
import type { Call, Transport } from './transport.ts';
import type {
  DeliveredResult,
  FaviconParams,
  Pipeline,
  PipelineParams,
  PipelinePlan,
  StoredFaviconPack,
  StoredResult,
} from './types.generated.ts';

interface Returned {
  output?: 'binary' | undefined;
  deliver_to?: undefined;
}

interface Stored {
  output: 'json';
  deliver_to?: undefined;
}

/** An operation that returns an image. `output: 'json'` and `deliver_to` change the return value. */
export interface ImageOperation<P, O = CallOptions> {
  (image: ImageInput, params?: P & Returned, options?: O): Promise<ImageAnswer>;
  (image: ImageInput, params: P & Stored, options?: O): Promise<StoredResult>;
  (image: ImageInput, params: P & { deliver_to: string }, options?: O): Promise<DeliveredResult>;
}

/** An operation that returns data about an image. */
export type RecordOperation<P, R> = (image: ImageInput, params?: P, options?: CallOptions) => Promise<R>;

export interface FaviconOperation {
  (
    image: ImageInput,
    params?: FaviconParams & { output?: 'binary' | undefined },
    options?: CallOptions,
  ): Promise<FileAnswer>;
  (image: ImageInput, params: FaviconParams & { output: 'json' }, options?: CallOptions): Promise<StoredFaviconPack>;
}

export interface PipelineRequest extends Omit<PipelineParams, 'pipeline'> {
  pipeline?: Pipeline | undefined;
}

interface Run {
  dry_run?: false | undefined;
}

export interface PipelineOperation {
  (
    image: ImageInput,
    params: PipelineRequest & Run & { output?: 'binary' | undefined },
    options?: WithWatermark,
  ): Promise<ImageAnswer>;
  (
    image: ImageInput,
    params: PipelineRequest & Run & { output: 'json' },
    options?: WithWatermark,
  ): Promise<StoredResult>;
  (image: ImageInput, params: PipelineRequest & { dry_run: true }, options?: WithWatermark): Promise<PipelinePlan>;
}

export interface WithWatermark extends CallOptions {
  /** A logo to draw as the watermark (Pro plan). */
  watermarkImage?: ImageBytes | undefined;
}

export interface WithBackground extends CallOptions {
  /** The image for `background: 'image'` (Pro plan). */
  backgroundImage?: ImageBytes | undefined;
  /** A corrected mask to use instead of the model's. White is the subject. */
  mask?: ImageBytes | undefined;
}

type AnyOptions = WithWatermark & WithBackground;

/** Creates the method of an operation. It sends an image and reads the response: JSON or a file. */
export function imageOperation<T>(
  transport: Transport,
  path: string,
  Answer: new (response: Response) => unknown = ImageAnswer,
): T {
  const run = async (image: ImageInput, params: object = {}, options: AnyOptions = {}): Promise<unknown> => {
    const call = await callOf(image, params, options);
    const response = await transport.send(path, { method: 'POST', signal: options.signal, ...call });
    const isRecord = response.headers.get('Content-Type')?.startsWith('application/json');
    return isRecord ? await response.json() : new Answer(response);
  };
  return run as T;
}

async function callOf(
  image: ImageInput,
  { pipeline, ...params }: { pipeline?: Pipeline },
  options: AnyOptions,
): Promise<Call> {
  const parts = await companionsOf(options);
  if (isAddress(image)) {
    if (parts.length > 0)
      throw new TypeError('Expected bytes for an image with further parts but received an address.');
    return { query: params, ...jsonBody({ url: image.url, pipeline }) };
  }
  const source = await sourceOf(image);
  // A query can be too short for a pipeline.
  const texts: Part[] = pipeline === undefined ? [] : [['pipeline', JSON.stringify(pipeline)]];
  // A multipart part also sends the name.
  if (source.name !== undefined || parts.length > 0 || texts.length > 0)
    return { query: params, ...formOf([...texts, ['image', source], ...parts]) };
  return { query: params, body: source.content, headers: { 'Content-Type': 'application/octet-stream' } };
}

async function companionsOf({ watermarkImage, backgroundImage, mask }: AnyOptions): Promise<Part[]> {
  const given = { watermark_image: watermarkImage, background_image: backgroundImage, mask };
  const parts: [string, Source][] = [];
  for (const [name, input] of Object.entries(given)) if (input !== undefined) parts.push([name, await sourceOf(input)]);
  return parts;
}
