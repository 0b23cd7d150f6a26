/** Runs an example against a service, and compares responses. */
import { EXAMPLE_BASE_URL, type Example, type Response } from '../../server/docs/examples.ts';
import { type ShownImage, shownImage } from './images.ts';

export interface Service {
  address: string;
  key: string;
}

export interface ExampleResult {
  answer: Response;
  /** undefined if the response is not an image and has no boxes to draw on the source. */
  image: ShownImage | undefined;
}

/** Headers that describe the result and are the same in every run. */
const KEPT_HEADERS = /^(?:content-type|content-disposition|x-ic-(?!duration|test)|x-quota-meter)/;

const NAMES: Readonly<Record<string, string>> = { 'x-ic-dpi': 'X-IC-DPI' };
const headerName = (name: string): string =>
  NAMES[name] ?? name.replaceAll(/(?:^|-)[a-z]/g, (start) => start.toUpperCase()).replace('X-Ic-', 'X-IC-');

/** @param source bytes of the example's source file */
export async function runExample(
  example: Example,
  path: string,
  source: Buffer,
  service: Service,
): Promise<ExampleResult> {
  const query = new URLSearchParams(Object.entries(example.params).map(([name, value]) => [name, String(value)]));
  const file = new File([new Uint8Array(source)], example.source);
  const form = new FormData();
  form.set('image', file);
  if (example.pipeline) form.set('pipeline', JSON.stringify(example.pipeline));
  const answer = await fetch(`${service.address}${path}?${query}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${service.key}` },
    // Sends the same request as the documentation shows.
    body: example.pipeline ? form : new Uint8Array(source),
  });
  const headers = Object.fromEntries(
    [...answer.headers].filter(([name]) => KEPT_HEADERS.test(name)).map(([name, value]) => [headerName(name), value]),
  );
  const isJson = answer.headers.get('content-type')?.startsWith('application/json') ?? false;
  const body = Buffer.from(await answer.arrayBuffer());
  // Replaces the address of the service with the one that the documentation shows.
  const json = isJson ? JSON.parse(body.toString().replaceAll(service.address, EXAMPLE_BASE_URL)) : undefined;
  return {
    answer: { status: answer.status, headers, ...(isJson ? { json } : {}) },
    image: isJson ? await drawFaces(source, json) : await shownImage(body),
  };
}

async function drawFaces(source: Buffer, json: { faces?: Parameters<typeof shownImage>[1] }) {
  return Array.isArray(json.faces) ? shownImage(source, json.faces) : undefined;
}

/** Fields that differ from run to run. */
const VOLATILE_FIELDS = new Set(['id', 'url', 'expires_at', 'duration_ms', 'sha256', 'request_id']);

/** Relative difference allowed between numbers: new builds of codecs and rounding in models change them slightly. */
const TOLERANCE = 0.02;

/** @returns descriptions of the differences; empty if there are none */
export function differences(one: unknown, other: unknown, place = 'answer'): string[] {
  if (VOLATILE_FIELDS.has(place.split('.').at(-1)!)) return typeof one === typeof other ? [] : [place];
  if (isNumeric(one) && isNumeric(other))
    return Math.abs(Number(one) - Number(other)) <= TOLERANCE * Math.max(Math.abs(Number(one)), 1)
      ? []
      : [`${place}: ${one}, ${other}`];
  if (typeof one !== 'object' || typeof other !== 'object' || !one || !other)
    return one === other ? [] : [`${place}: ${JSON.stringify(one)}, ${JSON.stringify(other)}`];
  const keys = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...keys].flatMap((key) => differences((one as never)[key], (other as never)[key], `${place}.${key}`));
}

const isNumeric = (value: unknown): boolean =>
  typeof value === 'number' || (typeof value === 'string' && /^\d+([.]\d+)?$/.test(value));
