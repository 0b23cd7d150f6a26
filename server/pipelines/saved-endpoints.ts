/** /api/v1/pipelines: the saved pipelines of an account, and the templates (docs/spec/shapes.md, sections 9.6 and 9.7). */

import { z } from 'zod';
import type { ErrorCode } from '../../base/failure.ts';
import { createDecoder, type PartialParams } from '../../base/parameter-decoder.ts';
import { timestamp } from '../../base/timestamp.ts';
import { MAX_PIPELINE_LENGTH, parsePipeline } from '../../engine/pipeline/parse.ts';
import type { Repositories } from '../../storage/ports/database.ts';
import type { Caller, Context } from '../http/context.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { JSON_BODY_ERRORS, readJson } from '../http/json-body.ts';
import { sendJsonList } from '../http/json-list.ts';
import { DEFAULT_MAX_JSON_BYTES } from '../http/json-reader.ts';
import { jsonBody, jsonResponse } from '../http/openapi-parts.ts';
import { readQuery } from '../http/query.ts';
import { positive } from '../http/record.ts';
import { nameReserved, pipelineNotFound, tooManyPipelines } from './errors.ts';
import {
  pipelineRecord,
  pipelineSchema,
  type SavedPipelineRecord,
  savedPipelineRecord,
  savedPipelineSchema,
} from './records.ts';
import { pipelineVersion } from './resolve.ts';
import type { PipelineServices } from './services.ts';
import { storedContent } from './stored-content.ts';
import { TEMPLATES_BY_NAME } from './templates.ts';

const PATH = '/api/v1/pipelines';
const PATH_OF_ONE = `${PATH}/{name}`;

/** Maximum number of saved pipelines of an account. */
export const MAX_SAVED_PIPELINES = 500;

const pipelineName = z
  .string()
  .max(60)
  .regex(/^[A-Za-z0-9][A-Za-z0-9 ._-]*$/)
  .meta({
    'x-form': 'at most 60 of A-Z, a-z, 0-9, space, ".", "_" and "-", a letter or digit first,',
    description: 'Its name, in which capitals count.',
    examples: ['shop'],
  });

const nameDecoder = createDecoder(z.strictObject({ name: pipelineName }));

/** The pipeline has its own parser. */
const bodyDecoder = {
  fromJson: ({ pipeline, ...values }: Readonly<Record<string, unknown>>): PartialParams =>
    new Map(nameDecoder.fromJson(values)).set('pipeline', pipeline),
  complete: (given: PartialParams) => {
    const { pipeline, ...values } = Object.fromEntries(given);
    return { ...nameDecoder.complete(new Map(Object.entries(values))), pipeline };
  },
};

const versionDecoder = createDecoder(z.strictObject({ version: pipelineVersion.optional() }));

async function list(ctx: Context, { database }: PipelineServices, { account }: Caller): Promise<void> {
  const templates = [...TEMPLATES_BY_NAME.values()].map(pipelineRecord);
  await sendJsonList(ctx, 'pipelines', readLatest(database, account.id), { templates });
}

/** Reads the latest version of each pipeline of an account, by name. One at a time, because each may have 64 kB. */
async function* readLatest(
  { pipelines }: Pick<Repositories, 'pipelines'>,
  accountId: string,
): AsyncGenerator<SavedPipelineRecord> {
  for (const name of await pipelines.names(accountId)) {
    const saved = await pipelines.find({ accountId, name });
    // Undefined if it has just been deleted.
    if (saved) yield savedPipelineRecord(saved);
  }
}

async function save(ctx: Context, services: PipelineServices, { account }: Caller): Promise<void> {
  const { name, pipeline } = await readJson(ctx, services, bodyDecoder, {
    maxBytes: DEFAULT_MAX_JSON_BYTES + MAX_PIPELINE_LENGTH,
  });
  if (TEMPLATES_BY_NAME.has(name)) throw nameReserved(name);
  const parsed = parsePipeline(pipeline);
  const { description, outputName } = parsed;
  const id = { accountId: account.id, name };
  const content = { description, outputName, ...storedContent(parsed) };
  const saved = await services.database.transaction(async ({ pipelines }) => {
    const isKnown = (await pipelines.find(id)) !== undefined;
    if (!isKnown && (await pipelines.countNames(account.id)) >= MAX_SAVED_PIPELINES)
      throw tooManyPipelines(MAX_SAVED_PIPELINES);
    return await pipelines.save(id, content, timestamp(services.now()));
  });
  ctx.status = saved.isNew ? 201 : 200;
  ctx.body = savedPipelineRecord(saved.pipeline);
}

async function read(ctx: Context, { database }: PipelineServices, { account }: Caller): Promise<void> {
  const { version } = readQuery(ctx, versionDecoder);
  const name = ctx.params.name!;
  const saved = await database.pipelines.find({ accountId: account.id, name }, version);
  if (saved) {
    ctx.body = savedPipelineRecord(saved);
    return;
  }
  const template = version === undefined ? TEMPLATES_BY_NAME.get(name) : undefined;
  if (!template) throw pipelineNotFound('name', name, version);
  ctx.body = pipelineRecord(template);
}

const deletion = z.object({
  deleted: z.literal(true),
  name: z.string().meta({ examples: ['shop'] }),
  versions: positive('How many there were.', 3),
});

async function remove(ctx: Context, { database }: PipelineServices, { account }: Caller): Promise<void> {
  const name = ctx.params.name!;
  const versions = await database.pipelines.delete({ accountId: account.id, name });
  if (versions === 0) throw pipelineNotFound('name', name, undefined);
  ctx.body = { deleted: true, name, versions } satisfies z.output<typeof deletion>;
}

const NEEDS = 'Needs the Pro plan. Free of charge.';
const ERRORS: readonly ErrorCode[] = ['upgrade_required'];
const pathParams = z.object({ name: z.string().meta({ description: 'Name of the pipeline.', examples: ['shop'] }) });

const SAVED = {
  access: 'key',
  tags: ['Pipelines'],
  check: ({ plans }: PipelineServices, { account }: Caller) => plans.requirePro(account, 'pipelines'),
  noStore: true,
} as const;

export const savedPipelineEndpoints: readonly Endpoint<PipelineServices>[] = [
  {
    ...SAVED,
    method: 'get',
    path: PATH,
    operation: 'list_pipelines',
    errors: ERRORS,
    summary: 'The saved pipelines of the account, and the templates',
    description: `The latest version of each, by name. ${NEEDS}`,
    responses: {
      '200': jsonResponse(
        'The pipelines.',
        z.object({ pipelines: z.array(savedPipelineSchema), templates: z.array(pipelineSchema) }),
      ),
    },
    handle: list,
  },
  {
    ...SAVED,
    method: 'post',
    path: PATH,
    operation: 'save_pipeline',
    errors: [...ERRORS, ...JSON_BODY_ERRORS, 'invalid_pipeline', 'name_reserved', 'storage_full'],
    summary: 'Save a pipeline under a name',
    description: `A name that is there already gets a new version, unless the latest says the same; of 100 the oldest is dropped. ${NEEDS}`,
    requestBody: jsonBody(z.strictObject({ name: pipelineName, pipeline: pipelineSchema })),
    responses: {
      '200': jsonResponse('The latest version, which says the same.', savedPipelineSchema),
      '201': jsonResponse('The new version.', savedPipelineSchema),
    },
    handle: save,
  },
  {
    ...SAVED,
    method: 'get',
    path: PATH_OF_ONE,
    operation: 'read_pipeline',
    errors: [...ERRORS, 'preset_not_found'],
    summary: 'A saved pipeline, or a template',
    description: `A template has no versions. ${NEEDS}`,
    requestParams: { path: pathParams, query: z.strictObject({ version: pipelineVersion.optional() }) },
    responses: { '200': jsonResponse('The pipeline.', z.union([savedPipelineSchema, pipelineSchema])) },
    handle: read,
  },
  {
    ...SAVED,
    method: 'delete',
    path: PATH_OF_ONE,
    operation: 'delete_pipeline',
    errors: [...ERRORS, 'preset_not_found'],
    summary: 'Delete a saved pipeline with all its versions',
    description: `Jobs that were accepted keep their copy of the steps. ${NEEDS}`,
    requestParams: { path: pathParams },
    responses: { '200': jsonResponse('It is deleted.', deletion) },
    handle: remove,
  },
];
