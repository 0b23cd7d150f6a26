/** Generates parts of guides from the declarations: a line such as `{{errors}}` in a guide is replaced by Markdown. */
import { camelCase } from '../../base/camel-case.ts';
import { HTTP_STATUS_BY_CODE } from '../../base/failure.ts';
import { HINTS } from '../../base/hints.ts';
import { parameterSchemas } from '../../base/parameter-schema.ts';
import { OPERATIONS, type Operation } from '../../engine/operations/registry.ts';
import { TEMPLATES } from '../../engine/pipeline/templates.ts';
import { WARNINGS } from '../../engine/result.ts';
import { STEP_PARAMS, STEPS, type StepOp } from '../../engine/steps/registry.ts';
import { TEST_KEY_LIMITS } from '../account/plans.ts';
import { describeConfig, loadConfig } from '../config.ts';
import type { OpenApi } from '../http/openapi-document.ts';
import { ownOptions, SHORT_NAMES } from '../image-delivery/options.ts';
import {
  accessText,
  bodyText,
  type Endpoint,
  endpointsOf,
  errorsText,
  headersText,
  parametersText,
  partsText,
  responsesText,
} from './endpoint-text.ts';
import { ERROR_TEXTS, type HttpErrorCode } from './error-texts.ts';
import { exampleText, readExamples, readResponse, readSizes } from './examples.ts';
import { fieldsText, PARAMETER_HEAD, parameterRow, type Schema, table } from './schema-text.ts';
import type { DocumentationServices } from './services.ts';

export interface PartSources {
  openApi: OpenApi;
  plans: DocumentationServices['plans'];
}

type Part = (argument: string, sources: PartSources) => string | Promise<string>;

const PARTS: Readonly<Record<string, Part>> = {
  examples: examplesOf,
  operation: (id, { openApi }) => operationText(endpointNamed(openApi, id)),
  endpoint: (id, { openApi }) => endpointSummary(endpointNamed(openApi, id)),
  schema: (name, { openApi }) => fieldsText(openApi.components?.schemas?.[name] as Schema),
  headers: (id, { openApi }) => headersText(endpointNamed(openApi, id)),
  errors: errorTable,
  plans: (_, { plans }) => planTable(plans),
  commands: () => operationTable('Command', ({ name }) => `imagecrew ${name}`),
  methods: () => operationTable('Method', ({ name }) => camelCase(name)),
  settings: settingTable,
  'short-options': shortOptionTable,
  'delivery-options': deliveryOptionTable,
  steps: stepTables,
  templates: templateTable,
  warnings: () =>
    table(
      ['Warning', 'Meaning'],
      Object.entries(WARNINGS).map(([code, meaning]) => [`\`${code}\``, meaning]),
    ),
};

const PLACE = /^\{\{([\w-]+)(?: ([\w-]+))?\}\}$/gm;

/** Fills in the parts of a guide. @throws TypeError when a guide uses an unknown part */
export async function withParts(markdown: string, sources: PartSources): Promise<string> {
  const texts = await Promise.all(
    [...markdown.matchAll(PLACE)].map(([place, name, argument = '']) => {
      const part = PARTS[name!];
      if (!part)
        throw new TypeError(`Expected one of ${Object.keys(PARTS).join(', ')} for a part but received ${place}.`);
      return part(argument, sources);
    }),
  );
  return markdown.replaceAll(PLACE, () => texts.shift()!);
}

function endpointNamed(openApi: OpenApi, id: string): Endpoint {
  const found = endpointsOf(openApi).find(({ operation }) => operation.operationId === id);
  if (!found) throw new TypeError(`Expected an operation of the OpenAPI document but received ${id}.`);
  return found;
}

async function examplesOf(id: string, { openApi }: PartSources): Promise<string> {
  const { path } = endpointNamed(openApi, id);
  const [examples, sizes] = await Promise.all([readExamples(), readSizes()]);
  const own = examples.filter(({ operation }) => operation === id);
  const texts = own.map(async (example) => exampleText({ example, path, sizes, answer: await readResponse(example) }));
  return (await Promise.all(texts)).join('\n\n');
}

/** The complete declaration of an operation on an image. */
function operationText(endpoint: Endpoint): string {
  const { method, path } = endpoint;
  const parts = partsText(endpoint);
  const headers = headersText(endpoint);
  return [
    '## Parameters',
    `\`${method} ${path}\` takes them in the query. In a form they may be parts as well, and beside \`url\` fields; the query wins.`,
    parametersText(endpoint),
    ...(parts ? ['### Further parts of a form', parts] : []),
    '## Answers',
    responsesText(endpoint),
    ...(headers ? ['### Headers', headers] : []),
    '## Errors',
    `What went wrong is said in the [form of all errors](errors.md).`,
    errorsText(endpoint),
    `The [reference](/docs/reference) has all schemas.`,
  ].join('\n\n');
}

function endpointSummary(endpoint: Endpoint): string {
  const body = bodyText(endpoint);
  const parameters = parametersText(endpoint);
  return [
    `\`${endpoint.method} ${endpoint.path}\`: ${endpoint.operation.summary}. ${accessText(endpoint)}`,
    ...(parameters ? [parameters] : []),
    ...(body ? [body] : []),
  ].join('\n\n');
}

function errorTable(): string {
  const codes = Object.entries(HTTP_STATUS_BY_CODE) as [HttpErrorCode, number][];
  return table(
    ['Code', 'Status', 'Meaning', 'What to do'],
    codes.map(([code, status]) => [`\`${code}\``, `${status}`, ERROR_TEXTS[code], HINTS[code]]),
  );
}

const PLAN_ROWS = {
  requests_per_month: 'Requests a month',
  ai_requests_per_month: 'AI requests a month',
  requests_per_minute: 'Requests a minute',
  file_bytes: 'Largest file, in bytes',
  upscale_pixels: 'Largest image to upscale, in pixels',
  job_images_json: 'Images of a job, as addresses',
  job_images_multipart: 'Images of a job, as uploads',
  websites: 'Websites',
  scan_pages: 'Pages of a scan',
  scan_assets: 'Images of a scan',
  running_scans: 'Scans that run at a time',
  scan_keep_days: 'Days that the files of a scan are kept',
} as const;

function planTable(plans: DocumentationServices['plans']): string {
  const all = plans.names.map((name) => ({ name, plan: plans.of({ plan: name }) }));
  const rows = Object.entries(PLAN_ROWS).map(([field, meaning]) => [
    meaning,
    ...all.map(({ plan }) => plan[field as keyof typeof PLAN_ROWS]?.toLocaleString('en') ?? 'no limit'),
  ]);
  const features = [
    'Pipelines, jobs, own watermark and background',
    ...all.map(({ plan }) => (plan.features.includes('pipelines') ? 'yes' : 'no')),
  ];
  return [
    table(['Limit', ...all.map(({ name }) => name)], [...rows, features]),
    `A test key counts against no allowance. It is held to ${TEST_KEY_LIMITS.requestsPerDay} requests a day and files of ${TEST_KEY_LIMITS.fileBytes.toLocaleString('en')} bytes.`,
  ].join('\n\n');
}

const RESULTS: Readonly<Record<Operation['output']['kind'], string>> = {
  image: 'an image',
  record: 'a record',
  zip: 'a ZIP',
};

/** All operations on one image, with the name by which they are called. */
function operationTable(title: string, nameOf: (operation: Operation) => string): string {
  const rows = OPERATIONS.map((operation) => {
    const { name, hint, output } = operation;
    return [`[\`${nameOf(operation)}\`](${name}.md)`, hint, RESULTS[output.kind]];
  });
  return table([title, 'What it does', 'Result'], rows);
}

function settingTable(): string {
  const rows = describeConfig(loadConfig({})).map(({ name, type, default: standard, meaning }) => [
    `\`${name}\``,
    `${type}${standard ? `; default ${standard}` : ''}`,
    meaning,
  ]);
  return table(['Setting', 'Values', 'Meaning'], rows);
}

/** The short names of the options of image addresses. */
function shortOptionTable(): string {
  return table(
    ['Short', 'Option'],
    Object.entries(SHORT_NAMES).map(([short, name]) => [`\`${short}\``, `\`${name}\``]),
  );
}

/** The options of image addresses that are no parameters of compress. */
function deliveryOptionTable(): string {
  return table(
    ['Option', ...PARAMETER_HEAD.slice(1)],
    [...parameterSchemas(ownOptions)].map(([name, schema]) => parameterRow(name, schema)),
  );
}

function stepTables(): string {
  return Object.entries(STEP_PARAMS)
    .map(([op, declaration]) => {
      const rows = [...parameterSchemas(declaration)].map(([name, schema]) => parameterRow(name, schema));
      const needs = STEPS[op as StepOp].needsOneOf?.map((name) => `\`${name}\``).join(', ');
      const rule = needs === undefined ? '' : `\n\nRefused unless at least one of these is set: ${needs}.`;
      return `### ${op}\n\n${rows.length > 0 ? table(PARAMETER_HEAD, rows) : 'Takes no parameters.'}${rule}`;
    })
    .join('\n\n');
}

function templateTable(): string {
  return table(
    ['Template', 'What it does', 'Steps'],
    TEMPLATES.map(({ name, description, steps }) => [
      `\`${name}\``,
      description,
      steps
        .map(
          ({ op, params = {} }) =>
            `\`${op}\` ${Object.entries(params)
              .map(([key, value]) => `${key}=${value}`)
              .join(' ')}`,
        )
        .join(', '),
    ]),
  );
}
