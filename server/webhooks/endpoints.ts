/** /api/v1/webhook-secret and /api/v1/webhook-test (docs/spec/shapes.md, section 11). */
import { z } from 'zod';
import { described } from '../../base/described.ts';
import { type ErrorCode, notFound } from '../../base/failure.ts';
import { createDecoder } from '../../base/parameter-decoder.ts';
import { timestamp } from '../../base/timestamp.ts';
import type { WebhookSecret } from '../../storage/records/webhooks.ts';
import { ownerAccess } from '../account/key-endpoints.ts';
import type { Caller, Context } from '../http/context.ts';
import type { AdminEndpoint, Endpoint, KeyEndpoint } from '../http/endpoint.ts';
import { JSON_BODY_ERRORS, readJson } from '../http/json-body.ts';
import { jsonBody, jsonResponse } from '../http/openapi-parts.ts';
import { dateTime } from '../http/record.ts';
import { checkWebhookUrl } from './address.ts';
import type { WebhookServices } from './services.ts';
import { newSecret } from './signature.ts';

const SECRET_PATH = '/api/v1/webhook-secret';
const SECRET_PATH_OF_ACCOUNT = '/api/v1/admin/accounts/{id}/webhook-secret';

/** How long receivers have to switch to a new secret. */
const PREVIOUS_VALID_MS = 24 * 3_600_000;

const secretRecordSchema = z
  .object({
    secret: z.string().meta({
      description: 'whsec_ and, in base64, the 32 bytes that webhooks are signed with.',
      examples: ['whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8='],
    }),
    created_at: dateTime(),
    previous_valid_until: dateTime()
      .nullable()
      .meta({ description: 'Until then webhooks are signed with the secret before this one too.' }),
  })
  .meta({ id: 'WebhookSecret' });

type SecretRecord = z.output<typeof secretRecordSchema>;

function secretRecord({ secret, createdAt, previousValidUntil }: WebhookSecret, now: string): SecretRecord {
  const isPast = previousValidUntil === null || previousValidUntil <= now;
  return { secret, created_at: createdAt, previous_valid_until: isPast ? null : previousValidUntil };
}

type SecretOf = (services: WebhookServices, accountId: string) => Promise<SecretRecord>;

const readSecret: SecretOf = async ({ database, now }, accountId) => {
  const createdAt = timestamp(now());
  const fresh = { accountId, secret: newSecret(), createdAt };
  return secretRecord(await database.webhooks.secret(fresh), createdAt);
};

const rotateSecret: SecretOf = async ({ database, now }, accountId) => {
  const time = now();
  const createdAt = timestamp(time);
  const fresh = { accountId, secret: newSecret(), createdAt };
  return secretRecord(await database.webhooks.rotateSecret(fresh, timestamp(time + PREVIOUS_VALID_MS)), createdAt);
};

const handleForAccount =
  (secretOf: SecretOf): KeyEndpoint<WebhookServices>['handle'] =>
  async (ctx, services, { account }) => {
    ctx.body = await secretOf(services, account.id);
  };

/** The operator's token belongs to no account, so the path names one. */
function handleForOperator(secretOf: SecretOf): AdminEndpoint<WebhookServices>['handle'] {
  return async (ctx, services) => {
    const id = ctx.params.id!;
    if (!(await services.database.accounts.find(id))) throw notFound('an account', id);
    ctx.body = await secretOf(services, id);
  };
}

const testRequest = z.strictObject({
  webhook_url: z
    .string()
    .meta({ description: 'Where the test is sent.', examples: ['https://example.com/hooks/imagecrew'] }),
});
const decodeTest = createDecoder(testRequest);

const testRecordSchema = z
  .object({
    id: z.string().meta({ description: 'Its webhook-id.', examples: ['msg_01JD3Z8Q4W0V6S8H2N5B7C9E1F'] }),
    delivered: z.boolean().meta({ description: 'The receiver answered with a status of 2xx.' }),
    status: described(z.int().nullable(), 'What it answered.', 200),
    duration_ms: z.int().min(0),
    error: z.string().nullable().meta({ description: 'Why it was not delivered.' }),
  })
  .meta({ id: 'WebhookTest' });

async function test(ctx: Context, services: WebhookServices, { account }: Caller): Promise<void> {
  services.plans.requirePro(account, 'jobs');
  const { webhook_url } = await readJson(ctx, services, decodeTest);
  const url = checkWebhookUrl(webhook_url, services.config);
  const { id, status, durationMs, error } = await services.webhooks.test(account.id, url);
  ctx.body = { id, delivered: error === null, status, duration_ms: durationMs, error } satisfies z.output<
    typeof testRecordSchema
  >;
}

const OWNER_ERRORS: readonly ErrorCode[] = ['scope_required', 'test_key_not_allowed', 'storage_full'];
const OPERATOR_ERRORS: readonly ErrorCode[] = ['not_found', 'storage_full'];
const OWNER_NEEDS = 'Needs a live key with the scope `admin`. Free of charge.';
const OPERATOR_NEEDS = 'Needs the token of IC_ADMIN_TOKEN; without that setting the path does not exist.';
const FIRST = 'It is made when it is first asked for or needed.';
const ROTATION = 'For 24 hours webhooks are signed with both, the new secret and the one before it.';

const OWNER = { ...ownerAccess('the webhook secret of the account'), errors: OWNER_ERRORS, tags: ['Account'] } as const;
const OPERATOR = { access: 'admin', errors: OPERATOR_ERRORS, tags: ['Admin'], noStore: true } as const;
const secretResponses = { '200': jsonResponse('The secret.', secretRecordSchema) };
const requestParams = {
  path: z.object({
    id: z.string().meta({ description: 'Id of the account.', examples: ['acct_01JD3Z8Q4W0V6S8H2N5B7C9E1F'] }),
  }),
};

export const webhookEndpoints: readonly Endpoint<WebhookServices>[] = [
  {
    ...OWNER,
    method: 'get',
    path: SECRET_PATH,
    operation: 'get_webhook_secret',
    summary: 'What the webhooks of the account are signed with',
    description: `${FIRST} ${OWNER_NEEDS}`,
    responses: secretResponses,
    handle: handleForAccount(readSecret),
  },
  {
    ...OWNER,
    method: 'post',
    path: `${SECRET_PATH}/rotate`,
    operation: 'rotate_webhook_secret',
    summary: 'Change what the webhooks of the account are signed with',
    description: `${ROTATION} ${OWNER_NEEDS}`,
    responses: secretResponses,
    handle: handleForAccount(rotateSecret),
  },
  {
    method: 'post',
    path: '/api/v1/webhook-test',
    operation: 'test_webhook',
    access: 'key',
    errors: [...JSON_BODY_ERRORS, 'invalid_url', 'url_not_allowed', 'upgrade_required', 'storage_full'],
    summary: 'Send a test to a receiver of webhooks',
    description:
      'Sends one signed event of the type `webhook.test`, waits at most 15 seconds for the answer, and does not try again. Free of charge.',
    tags: ['Jobs'],
    requestBody: jsonBody(testRequest),
    responses: { '200': jsonResponse('What came of it.', testRecordSchema) },
    handle: test,
  },
  {
    ...OPERATOR,
    method: 'get',
    path: SECRET_PATH_OF_ACCOUNT,
    operation: 'admin_get_webhook_secret',
    summary: 'What the webhooks of an account are signed with',
    description: `${FIRST} ${OPERATOR_NEEDS}`,
    requestParams,
    responses: secretResponses,
    handle: handleForOperator(readSecret),
  },
  {
    ...OPERATOR,
    method: 'post',
    path: `${SECRET_PATH_OF_ACCOUNT}/rotate`,
    operation: 'admin_rotate_webhook_secret',
    summary: 'Change what the webhooks of an account are signed with',
    description: `${ROTATION} ${OPERATOR_NEEDS}`,
    requestParams,
    responses: secretResponses,
    handle: handleForOperator(rotateSecret),
  },
];
