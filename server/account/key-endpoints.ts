/** /api/v1/keys: an account manages its own keys (docs/spec/shapes.md, section 15.3). */

import { z } from 'zod';
import { type ErrorCode, invalidParameter, notFound } from '../../base/failure.ts';
import { createDecoder } from '../../base/parameter-decoder.ts';
import { timestamp } from '../../base/timestamp.ts';
import type { Repositories } from '../../storage/ports/database.ts';
import type { Key } from '../../storage/records/keys.ts';
import type { Caller, Context } from '../http/context.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { JSON_BODY_ERRORS, readJson } from '../http/json-body.ts';
import { sendJsonList } from '../http/json-list.ts';
import { jsonBody, jsonResponse } from '../http/openapi-parts.ts';
import { keyRevoked, limitOfTestKey, testKeyNotAllowed, tooManyKeys } from './errors.ts';
import { DEFAULT_KEY_NAME, futureTime, keyMode, keyName, keyScopes, MOMENT, monthlyLimit } from './fields.ts';
import { checkChange, checkGrantedScopes, limitingKeys, resolveExpiry, resolveMonthlyLimit } from './key-limits.ts';
import { DEFAULT_SCOPES, issueKey, requireScope, withUse } from './keys.ts';
import { monthOf } from './period.ts';
import { keyRecord, keyRecordSchema, newKeyRecordSchema } from './records.ts';
import type { AccountServices } from './services.ts';

const PATH = '/api/v1/keys';
const PATH_OF_ONE = `${PATH}/{id}`;

/** Usable keys of an account. All of them are listed. */
export const MAX_KEYS = 1000;
/** Keys listed that were revoked or have expired. The command `admin key list` prints all of them. */
export const MAX_LISTED_INACTIVE_KEYS = 100;
/** Small, because a prepared statement is kept for each number of keys. */
const KEYS_PER_READ = 20;

const pathParams = z.object({
  id: z.string().meta({ description: 'Id of the key.', examples: ['key_01JD3Z8Q4W0V6S8H2N5B7C9E1F'] }),
});

const creation = z.strictObject({
  name: keyName.default(DEFAULT_KEY_NAME),
  mode: keyMode.default('live'),
  scopes: keyScopes.exactOptional(),
  monthly_limit: monthlyLimit.nullable().exactOptional(),
  expires_at: futureTime.nullable().exactOptional(),
});
const change = z.strictObject({
  name: keyName.exactOptional(),
  scopes: keyScopes.exactOptional(),
  monthly_limit: monthlyLimit.nullable().exactOptional(),
});

const decodeCreation = createDecoder(creation);
const decodeChange = createDecoder(change);

/**
 * The access to endpoints that manage an account: only with live keys with the scope `admin`.
 * @param what subject of the endpoint, for error messages
 */
export function ownerAccess(what: string) {
  const check = (_services: unknown, { key }: Caller): void => {
    if (key.mode === 'test') throw testKeyNotAllowed(what);
    requireScope(key, 'admin');
  };
  return { access: 'key', check, noStore: true } as const;
}

function checkLimit(mode: Key['mode'], limit: number | null | undefined): void {
  if (mode === 'test' && typeof limit === 'number') throw limitOfTestKey(limit);
}

async function list(ctx: Context, { database, now }: AccountServices, { account }: Caller): Promise<void> {
  const time = timestamp(now());
  const usable = await database.keys.usableIds(account.id, time);
  const ended = await database.keys.lastEndedIds(account.id, time, MAX_LISTED_INACTIVE_KEYS);
  // Ids begin with their time of creation, so this sorts by age.
  await sendJsonList(ctx, 'keys', readKeyRecords(database, [...usable, ...ended].sort(), monthOf(now()).id));
}

/** Reads the records of the keys with these ids in their order, a few at a time. */
async function* readKeyRecords({ keys }: Pick<Repositories, 'keys'>, ids: readonly string[], month: string) {
  for (let at = 0; at < ids.length; at += KEYS_PER_READ)
    yield* (await keys.someWithUse(month, ids.slice(at, at + KEYS_PER_READ))).map(keyRecord);
}

async function create(ctx: Context, services: AccountServices, { account, key: maker }: Caller): Promise<void> {
  const { monthly_limit, expires_at, scopes, ...rest } = await readJson(ctx, services, decodeCreation);
  checkLimit(rest.mode, monthly_limit);
  if (typeof expires_at === 'string' && Date.parse(expires_at) <= services.now())
    throw invalidParameter(`${MOMENT} or null`, 'expires_at', expires_at);
  if (scopes) checkGrantedScopes(maker, scopes);
  const isTest = rest.mode === 'test';
  const options = {
    ...rest,
    scopes: scopes ?? DEFAULT_SCOPES.filter((scope) => maker.scopes.includes(scope)),
    accountId: account.id,
    // Test keys use no quota.
    monthlyLimit: isTest ? null : resolveMonthlyLimit(maker, monthly_limit),
    limitedBy: isTest ? [] : limitingKeys(maker),
    expiresAt: resolveExpiry(maker, expires_at),
  };
  const { record, key } = await services.database.transaction(async ({ keys }) => {
    const usable = await keys.usableIds(account.id, timestamp(services.now()));
    if (usable.length >= MAX_KEYS) throw tooManyKeys(MAX_KEYS);
    return await issueKey(keys, options);
  });
  ctx.status = 201;
  ctx.body = { ...keyRecord({ ...record, used: 0 }), key } satisfies z.output<typeof newKeyRecordSchema>;
}

async function update(ctx: Context, services: AccountServices, { account, key: maker }: Caller): Promise<void> {
  const { monthly_limit, ...rest } = await readJson(ctx, services, decodeChange);
  const { keys, meters } = services.database;
  const id = ctx.params.id!;
  const key = await keys.find(id, account.id);
  if (!key) throw notFound('a key', id);
  checkLimit(key.mode, monthly_limit);
  checkChange(maker, key, {
    ...(rest.scopes && { scopes: rest.scopes }),
    ...(monthly_limit === undefined ? {} : { monthlyLimit: monthly_limit }),
  });
  const changed = await keys.update(id, account.id, {
    ...rest,
    ...(monthly_limit === undefined ? {} : { monthlyLimit: monthly_limit }),
  });
  if (!changed) throw keyRevoked();
  ctx.body = keyRecord(await withUse(meters, changed, services.now()));
}

async function revoke(ctx: Context, { database, now }: AccountServices, { account }: Caller): Promise<void> {
  const id = ctx.params.id!;
  const revoked = await database.keys.revoke(id, account.id);
  if (!revoked) throw notFound('a key', id);
  ctx.body = keyRecord(await withUse(database.meters, revoked, now()));
}

const ERRORS: readonly ErrorCode[] = ['scope_required', 'test_key_not_allowed'];
const WITHIN =
  'A key cannot give more than it has: its scopes, its expiry and its monthly limit. Requests with the keys that it makes also count against that limit.';
const NEEDS = 'Needs a live key with the scope `admin`. Free of charge.';

const KEYS = { ...ownerAccess('the keys of the account'), tags: ['Account'] } as const;

export const keyEndpoints: readonly Endpoint<AccountServices>[] = [
  {
    ...KEYS,
    method: 'get',
    path: PATH,
    operation: 'list_keys',
    errors: ERRORS,
    summary: 'The keys of the account',
    description: `Oldest first: all that can be used, and the ${MAX_LISTED_INACTIVE_KEYS} that were revoked or have expired last. ${NEEDS}`,
    responses: { '200': jsonResponse('The keys.', z.object({ keys: z.array(keyRecordSchema) })) },
    handle: list,
  },
  {
    ...KEYS,
    method: 'post',
    path: PATH,
    operation: 'create_key',
    errors: [...ERRORS, ...JSON_BODY_ERRORS, 'storage_full'],
    summary: 'Make a key for the account',
    description: `The answer holds the key; it is not stored and cannot be shown again. ${WITHIN} Fields that are left out are taken from the key of the request; the scopes are ai and sites, if it has them. An account has at most ${MAX_KEYS.toLocaleString('en')} keys that are neither revoked nor expired. ${NEEDS}`,
    requestBody: jsonBody(creation),
    responses: { '201': jsonResponse('The key.', newKeyRecordSchema) },
    handle: create,
  },
  {
    ...KEYS,
    method: 'patch',
    path: PATH_OF_ONE,
    operation: 'update_key',
    errors: [...ERRORS, ...JSON_BODY_ERRORS, 'not_found', 'invalid_state', 'storage_full'],
    summary: 'Change a key of the account',
    description: `What is left out stays as it is. A key that is revoked cannot be changed. ${WITHIN} ${NEEDS}`,
    requestParams: { path: pathParams },
    requestBody: jsonBody(change),
    responses: { '200': jsonResponse('The changed key.', keyRecordSchema) },
    handle: update,
  },
  {
    ...KEYS,
    method: 'delete',
    path: PATH_OF_ONE,
    operation: 'revoke_key',
    errors: [...ERRORS, 'not_found', 'storage_full'],
    summary: 'Revoke a key of the account',
    description: `It is refused from the next request on, for good. A second time changes nothing. A key may revoke itself. ${NEEDS}`,
    requestParams: { path: pathParams },
    responses: { '200': jsonResponse('The revoked key.', keyRecordSchema) },
    handle: revoke,
  },
];
