/** Operations on one image. */
import { type FileAnswer, ImageAnswer } from './answer.ts';
import { type CallOptions, jsonBody } from './calls.ts';
import { formOf, type Part } from './form.ts';
import { type ImageBytes, type ImageInput, isAddress, type Source, sourceOf } from './image-input.ts';
import type { Call, Transport } from './transport.ts';
import type { DeliveredResult, Pipeline, StoredResult } from './types.generated.ts';

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

/** An operation that returns a ZIP. `output: 'json'` changes the return value. */
export interface FileOperation<P, R> {
  (image: ImageInput, params?: P & { output?: 'binary' | undefined }, options?: CallOptions): Promise<FileAnswer>;
  (image: ImageInput, params: P & { output: 'json' }, options?: CallOptions): Promise<R>;
}

/** Images beside the one to work on, by the name of their part in camel case. */
type AnyOptions = CallOptions & Record<string, unknown>;

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
  const parts = await auxiliaryPartsOf(options);
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

async function auxiliaryPartsOf({ signal: _, ...images }: AnyOptions): Promise<Part[]> {
  const parts: [string, Source][] = [];
  for (const [name, input] of Object.entries(images))
    if (input !== undefined)
      parts.push([
        name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
        await sourceOf(input as ImageBytes, name),
      ]);
  return parts;
}
