/** /api/v1/admin: the operator manages the accounts (docs/spec/shapes.md, section 15.3). */
import { z } from 'zod';
import type { ErrorCode } from '../../base/failure.ts';
import { pageFields, pageParams } from '../../base/paging.ts';
import { createDecoder } from '../../base/parameter-decoder.ts';
import type { Context } from '../http/context.ts';
import type { AdminEndpoint, Endpoint } from '../http/endpoint.ts';
import { JSON_BODY_ERRORS, readJson } from '../http/json-body.ts';
import { refuseQuery } from '../http/no-query.ts';
import { jsonBody, jsonResponse } from '../http/openapi-parts.ts';
import { queryPairs } from '../http/query.ts';
import { accountNotFound } from './errors.ts';
import { accountName, email, planName } from './fields.ts';
import { creditRecordSchema, grantPackage, PACKAGE_NAMES } from './packages.ts';
import { accountRecord, accountRecordSchema } from './records.ts';
import type { AccountServices } from './services.ts';

const PATH = '/api/v1/admin/accounts';
const PATH_OF_ONE = `${PATH}/{id}`;

const pathParams = z.object({
  id: z.string().meta({ description: 'Id of the account.', examples: ['acct_01JD3Z8Q4W0V6S8H2N5B7C9E1F'] }),
});

const creation = z.strictObject({ name: accountName, email: email.nullable().default(null), plan: planName });
const change = z.strictObject({
  plan: planName.exactOptional(),
  email: email.nullable().exactOptional(),
  disabled: z
    .boolean()
    .meta({ description: 'Refuses all its keys.', examples: [true] })
    .exactOptional(),
});
const grant = z.strictObject({
  package: z.enum(PACKAGE_NAMES).meta({ description: 'The package that was bought.', examples: ['site_1k'] }),
});

const decodePage = createDecoder(pageParams);
const decodeCreation = createDecoder(creation);
const decodeChange = createDecoder(change);
const decodeGrant = createDecoder(grant);

/** Forbids caches to store the customers' data. */
function withoutCaching(handle: AdminEndpoint<AccountServices>['handle']): AdminEndpoint<AccountServices>['handle'] {
  return async (ctx, services) => {
    ctx.set('Cache-Control', 'no-store');
    await handle(ctx, services);
  };
}

async function create(ctx: Context, services: AccountServices): Promise<void> {
  refuseQuery(ctx);
  const account = await readJson(ctx, services, decodeCreation);
  services.plans.check(account.plan);
  const created = await services.database.accounts.create(account);
  ctx.status = 201;
  ctx.body = accountRecord(created);
}

async function list(ctx: Context, { database }: AccountServices): Promise<void> {
  const page = decodePage.complete(decodePage.fromText(queryPairs(ctx.querystring)));
  const { accounts, total } = await database.accounts.page(page);
  ctx.body = { accounts: accounts.map(accountRecord), total, ...page };
}

async function show(ctx: Context, { database }: AccountServices): Promise<void> {
  refuseQuery(ctx);
  const id = ctx.params.id!;
  const account = await database.accounts.find(id);
  if (!account) throw accountNotFound(id);
  ctx.body = accountRecord(account);
}

async function update(ctx: Context, services: AccountServices): Promise<void> {
  refuseQuery(ctx);
  const changes = await readJson(ctx, services, decodeChange);
  if (changes.plan !== undefined) services.plans.check(changes.plan);
  const id = ctx.params.id!;
  const account = await services.database.accounts.update(id, changes);
  if (!account) throw accountNotFound(id);
  ctx.body = accountRecord(account);
}

async function addPackage(ctx: Context, services: AccountServices): Promise<void> {
  refuseQuery(ctx);
  const { package: name } = await readJson(ctx, services, decodeGrant);
  const { accounts, packages } = services.database;
  const id = ctx.params.id!;
  if (!(await accounts.find(id))) throw accountNotFound(id);
  const credit = await grantPackage(packages, id, name);
  ctx.status = 201;
  ctx.body = credit;
}

const WRITE_ERRORS: readonly ErrorCode[] = [...JSON_BODY_ERRORS, 'storage_full'];
const tags = ['Admin'];
const NEEDS = 'Needs the token of IC_ADMIN_TOKEN; without that setting the path does not exist.';

export const adminEndpoints: readonly Endpoint<AccountServices>[] = [
  {
    method: 'post',
    path: PATH,
    operation: 'admin_create_account',
    access: 'admin',
    errors: ['not_found', ...WRITE_ERRORS],
    documentation: {
      summary: 'Make an account',
      description: `Its keys are made with the command \`admin key create\`. ${NEEDS}`,
      tags,
      requestBody: jsonBody(creation),
      responses: { '201': jsonResponse('The account.', accountRecordSchema) },
    },
    handle: withoutCaching(create),
  },
  {
    method: 'get',
    path: PATH,
    operation: 'admin_list_accounts',
    access: 'admin',
    errors: ['not_found'],
    documentation: {
      summary: 'All accounts',
      description: `Oldest first. ${NEEDS}`,
      tags,
      requestParams: { query: pageParams },
      responses: {
        '200': jsonResponse('The accounts.', z.object({ accounts: z.array(accountRecordSchema), ...pageFields })),
      },
    },
    handle: withoutCaching(list),
  },
  {
    method: 'get',
    path: PATH_OF_ONE,
    operation: 'admin_get_account',
    access: 'admin',
    errors: ['not_found'],
    documentation: {
      summary: 'One account',
      description: NEEDS,
      tags,
      requestParams: { path: pathParams },
      responses: { '200': jsonResponse('The account.', accountRecordSchema) },
    },
    handle: withoutCaching(show),
  },
  {
    method: 'patch',
    path: PATH_OF_ONE,
    operation: 'admin_update_account',
    access: 'admin',
    errors: ['not_found', ...WRITE_ERRORS],
    documentation: {
      summary: 'Change an account',
      description: `What is left out stays as it is; all of it works with the next request. ${NEEDS}`,
      tags,
      requestParams: { path: pathParams },
      requestBody: jsonBody(change),
      responses: { '200': jsonResponse('The changed account.', accountRecordSchema) },
    },
    handle: withoutCaching(update),
  },
  {
    method: 'post',
    path: `${PATH_OF_ONE}/packages`,
    operation: 'admin_grant_package',
    access: 'admin',
    errors: ['not_found', ...WRITE_ERRORS],
    documentation: {
      summary: 'Give an account a package of pages for website scans',
      description: `Beside those that it has. ${NEEDS}`,
      tags,
      requestParams: { path: pathParams },
      requestBody: jsonBody(grant),
      responses: { '201': jsonResponse('The package.', creditRecordSchema) },
    },
    handle: withoutCaching(addPackage),
  },
];
