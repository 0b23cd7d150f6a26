/**
 * The examples of the documentation. They are declared once in `docs/examples/examples.json`; the responses of a real
 * run are stored beside it.
 */
import { z } from 'zod';
import { type RequestForm, toCurl, toJavaScript, toPython } from '../console/request-code.ts';
import { listDocs, readDoc } from './package-files.ts';

const value = z.union([z.string(), z.number(), z.boolean()]);

const declaredExample = z.strictObject({
  name: z.string(),
  /** Operation id in the OpenAPI document. */
  operation: z.string(),
  title: z.string(),
  caption: z.string(),
  /** A file in `docs/examples/sources/`. */
  source: z.string(),
  params: z.record(z.string(), value).default({}),
  /** Sent as the form part `pipeline`. */
  pipeline: z.record(z.string(), z.unknown()).optional(),
  /** Name of the result file. Without it, the response is JSON. */
  result: z.string().optional(),
});
export type Example = z.output<typeof declaredExample>;

const recordedResponse = z.strictObject({
  status: z.int(),
  headers: z.record(z.string(), z.string()),
  json: z.unknown().optional(),
});
/** The recorded response, without values that differ from run to run. */
export type Response = z.output<typeof recordedResponse>;

export const EXAMPLES = 'examples/examples.json';
/** The width and height of displayed images, by name. */
export const SIZES = 'examples/images.json';
export const responseFile = ({ name }: Pick<Example, 'name'>): string => `examples/answers/${name}.json`;
export const imageName = (name: string): string => `${name.replace(/[.]\w+$/, '')}.webp`;

export const readExamples = async (): Promise<Example[]> =>
  z.array(declaredExample).parse(JSON.parse(`${await readDoc(EXAMPLES)}`));

export const readResponse = async (example: Example): Promise<Response> =>
  recordedResponse.parse(JSON.parse(`${await readDoc(responseFile(example))}`));

export type ImageSizes = Readonly<Record<string, readonly [number, number]>>;

export const readSizes = async (): Promise<ImageSizes> => JSON.parse(`${await readDoc(SIZES)}`);

/** The files that may be downloaded: images, and the sources that the examples send. */
export async function exampleFiles(): Promise<Map<string, string>> {
  const folders = ['examples/images', 'examples/sources'];
  const names = await Promise.all(folders.map(listDocs));
  return new Map(folders.flatMap((folder, index) => names[index]!.map((name) => [name, `${folder}/${name}`] as const)));
}

/** The request of an example. */
export function requestOf(example: Example, path: string, address: string): RequestForm {
  const { params, pipeline, source, result } = example;
  return {
    ...{ address, path, method: 'POST' as const, query: params, file: source, result },
    ...(pipeline ? { parts: { pipeline: JSON.stringify(pipeline) } } : {}),
  };
}

const FILES = '/docs/files';

export interface ShownExample {
  example: Example;
  answer: Response;
  path: string;
  sizes: ImageSizes;
}

export function exampleText({ example, answer, path, sizes }: ShownExample): string {
  const { name, title, caption, source } = example;
  const request = requestOf(example, path, EXAMPLE_BASE_URL);
  const fence = (language: string, text: string) => `\`\`\`${language}\n${text}\n\`\`\``;
  const before = imageName(source);
  const after = imageName(name);
  const images = [
    ...(before in sizes
      ? [`![Before](${FILES}/${before} "Before: ${source}${bytesOf(answer, 'X-IC-Original-Bytes')}")`]
      : []),
    ...(after in sizes
      ? [
          `![After](${FILES}/${after} "After${example.result ? `: ${example.result}${bytesOf(answer, 'X-IC-Bytes')}` : ''}")`,
        ]
      : []),
  ];
  return [
    `### ${title}`,
    `${caption} The source: [${source}](${FILES}/${source}).`,
    ...(images.length > 0 ? [images.join(' ')] : []),
    ...[fence('sh', toCurl(request)), fence('js', toJavaScript(request)), fence('python', toPython(request))],
    'The answer:',
    fence(
      'http',
      [`HTTP/1.1 ${answer.status} OK`, ...Object.entries(answer.headers).map((pair) => pair.join(': '))].join('\n'),
    ),
    ...(answer.json === undefined ? [] : [fence('json', JSON.stringify(answer.json, null, 2))]),
  ].join('\n\n');
}

function bytesOf({ headers }: Response, name: string): string {
  const bytes = headers[name];
  return bytes === undefined ? '' : `, ${Number(bytes).toLocaleString('en')} bytes`;
}

/** The address of the service in guides and examples. Pages show the real address instead. */
export const EXAMPLE_BASE_URL = 'https://images.example.com';
