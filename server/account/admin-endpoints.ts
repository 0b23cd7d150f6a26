/** /api/v1/admin: the operator manages the accounts (docs/spec/shapes.md, section 15.3). */
import { z } from 'zod';
import { described } from '../../base/described.ts';
import { type ErrorCode, notFound } from '../../base/failure.ts';
import { pageFields, pageParams } from '../../base/paging.ts';
import { createDecoder } from '../../base/parameter-decoder.ts';
import type { Context } from '../http/context.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { JSON_BODY_ERRORS, readJson } from '../http/json-body.ts';
import { jsonBody, jsonResponse } from '../http/openapi-parts.ts';
import { readQuery } from '../http/query.ts';
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
  disabled: described(z.boolean(), 'Refuses all its keys.', true).exactOptional(),
});
const grant = z.strictObject({
  package: z.enum(PACKAGE_NAMES).meta({ description: 'The package that was bought.', examples: ['site_1k'] }),
});

const decodePage = createDecoder(pageParams);
const decodeCreation = createDecoder(creation);
const decodeChange = createDecoder(change);
const decodeGrant = createDecoder(grant);

async function create(ctx: Context, services: AccountServices): Promise<void> {
  const account = await readJson(ctx, services, decodeCreation);
  services.plans.check(account.plan);
  const created = await services.database.accounts.create(account);
  ctx.status = 201;
  ctx.body = accountRecord(created);
}

async function list(ctx: Context, { database }: AccountServices): Promise<void> {
  const page = readQuery(ctx, decodePage);
  const { accounts, total } = await database.accounts.page(page);
  ctx.body = { accounts: accounts.map(accountRecord), total, ...page };
}

async function show(ctx: Context, { database }: AccountServices): Promise<void> {
  const id = ctx.params.id!;
  const account = await database.accounts.find(id);
  if (!account) throw notFound('an account', id);
  ctx.body = accountRecord(account);
}

async function update(ctx: Context, services: AccountServices): Promise<void> {
  const changes = await readJson(ctx, services, decodeChange);
  if (changes.plan !== undefined) services.plans.check(changes.plan);
  const id = ctx.params.id!;
  const account = await services.database.accounts.update(id, changes);
  if (!account) throw notFound('an account', id);
  ctx.body = accountRecord(account);
}

async function addPackage(ctx: Context, services: AccountServices): Promise<void> {
  const { package: name } = await readJson(ctx, services, decodeGrant);
  const { accounts, packages } = services.database;
  const id = ctx.params.id!;
  if (!(await accounts.find(id))) throw notFound('an account', id);
  const credit = await grantPackage(packages, id, name);
  ctx.status = 201;
  ctx.body = credit;
}

const WRITE_ERRORS: readonly ErrorCode[] = [...JSON_BODY_ERRORS, 'storage_full'];
const NEEDS = 'Needs the token of IC_ADMIN_TOKEN; without that setting the path does not exist.';

const ADMIN = { access: 'admin', tags: ['Admin'], noStore: true } as const;

export const adminEndpoints: readonly Endpoint<AccountServices>[] = [
  {
    ...ADMIN,
    method: 'post',
    path: PATH,
    operation: 'admin_create_account',
    errors: ['not_found', ...WRITE_ERRORS],
    summary: 'Make an account',
    description: `Its keys are made with the command \`admin key create\`. ${NEEDS}`,
    requestBody: jsonBody(creation),
    responses: { '201': jsonResponse('The account.', accountRecordSchema) },
    handle: create,
  },
  {
    ...ADMIN,
    method: 'get',
    path: PATH,
    operation: 'admin_list_accounts',
    errors: ['not_found'],
    summary: 'All accounts',
    description: `Oldest first. ${NEEDS}`,
    requestParams: { query: pageParams },
    responses: {
      '200': jsonResponse('The accounts.', z.object({ accounts: z.array(accountRecordSchema), ...pageFields })),
    },
    handle: list,
  },
  {
    ...ADMIN,
    method: 'get',
    path: PATH_OF_ONE,
    operation: 'admin_get_account',
    errors: ['not_found'],
    summary: 'One account',
    description: NEEDS,
    requestParams: { path: pathParams },
    responses: { '200': jsonResponse('The account.', accountRecordSchema) },
    handle: show,
  },
  {
    ...ADMIN,
    method: 'patch',
    path: PATH_OF_ONE,
    operation: 'admin_update_account',
    errors: ['not_found', ...WRITE_ERRORS],
    summary: 'Change an account',
    description: `What is left out stays as it is; all of it works with the next request. ${NEEDS}`,
    requestParams: { path: pathParams },
    requestBody: jsonBody(change),
    responses: { '200': jsonResponse('The changed account.', accountRecordSchema) },
    handle: update,
  },
  {
    ...ADMIN,
    method: 'post',
    path: `${PATH_OF_ONE}/packages`,
    operation: 'admin_grant_package',
    errors: ['not_found', ...WRITE_ERRORS],
    summary: 'Give an account a package of pages for website scans',
    description: `Beside those that it has. ${NEEDS}`,
    requestParams: { path: pathParams },
    requestBody: jsonBody(grant),
    responses: { '201': jsonResponse('The package.', creditRecordSchema) },
    handle: addPackage,
  },
];
