/**
 * Runs every example of the documentation against the service at IMAGECREW_URL (http://127.0.0.1:8080) with the key in
 * KEY. Writes the responses and images that differ from the stored ones. With `--draw` it first draws the source images
 * again.
 */
import { execFileSync } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { endpointsOf } from '../server/docs/endpoint-text.ts';
import { imageName, readExamples, readSizes, responseFile, SIZES } from '../server/docs/examples.ts';
import { DOCUMENTED } from '../server/endpoints.ts';
import { createOpenApi } from '../server/http/openapi.ts';
import { ADJUSTED_SOURCE, ADJUSTMENTS, adjustmentStrip, stripName } from './docs-examples/adjustments.ts';
import { imageDifference, type ShownImage, shownImage } from './docs-examples/images.ts';
import { differences, runExample, type Service } from './docs-examples/run.ts';
import { drawSources } from './docs-examples/sources.ts';

const { values } = parseArgs({ options: { draw: { type: 'boolean', default: false } } });
const { IMAGECREW_URL: address = 'http://127.0.0.1:8080', KEY: key } = process.env;
if (!key) throw new Error('Expected a key with the scope ai for KEY but received nothing.');
const service: Service = { address, key };

const docs = (path: string): URL => new URL(`../docs/${path}`, import.meta.url);
const MAX_IMAGE_DIFFERENCE = 1;

await mkdir(docs('examples/sources'), { recursive: true });
await mkdir(docs('examples/images'), { recursive: true });
await mkdir(docs('examples/answers'), { recursive: true });
if (values.draw)
  for (const [name, data] of await drawSources(draw)) await writeFile(docs(`examples/sources/${name}`), data);

const paths = new Map(
  endpointsOf(createOpenApi(DOCUMENTED)).map(({ path, operation }) => [operation.operationId as string, path]),
);
// Other scripts make some of the images.
const sizes: Record<string, readonly [number, number]> = { ...(await readSizes()) };
for (const example of await readExamples()) {
  const source = await readFile(docs(`examples/sources/${example.source}`));
  const { answer, image } = await runExample(example, paths.get(example.operation)!, source, service);
  if (answer.status !== 200) throw new Error(`${example.name}: ${answer.status} ${JSON.stringify(answer.json)}`);
  await updateResponse(responseFile(example), answer);
  await updateImage(imageName(example.source), await shownImage(source));
  if (image) await updateImage(imageName(example.name), image);
}
const adjusted = await readFile(docs(`examples/sources/${ADJUSTED_SOURCE}`));
for (const adjustment of ADJUSTMENTS)
  await updateImage(stripName(adjustment), await adjustmentStrip(adjustment, adjusted, service));
await writeFile(docs(SIZES), JSON.stringify(sizes));
execFileSync('npx', ['biome', 'format', '--write', 'docs/examples'], { stdio: 'inherit' });

/** Renders with the service, whose renderer has its own fonts, so that texts look the same on every machine. */
async function draw(svg: string): Promise<Buffer> {
  const answer = await fetch(`${service.address}/api/v1/compress?format=png&mode=lossless&filename=drawing.svg`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${service.key}` },
    body: svg,
  });
  if (!answer.ok) throw new Error(await answer.text());
  return Buffer.from(await answer.arrayBuffer());
}

async function updateResponse(path: string, answer: object): Promise<void> {
  const present = await readFile(docs(path), 'utf8').then(JSON.parse, () => undefined);
  if (present && differences(present, answer).length === 0) return;
  await writeFile(docs(path), `${JSON.stringify(answer, null, 2)}\n`);
  console.log(`Wrote docs/${path}.`);
}

async function updateImage(name: string, { data, width, height }: ShownImage): Promise<void> {
  sizes[name] = [width, height];
  const path = `examples/images/${name}`;
  const present = await readFile(docs(path)).catch(() => undefined);
  if (present && (await imageDifference(present, data)) <= MAX_IMAGE_DIFFERENCE) return;
  await writeFile(docs(path), data);
  console.log(`Wrote docs/${path}, ${data.byteLength} bytes.`);
}
