/** Stored results, delivered images, keys and webhooks of the caller's account. */
import { FileAnswer } from './answer.ts';
import { type CallOptions, Group, jsonBody, segment } from './calls.ts';
import type {
  CreateKeyBody,
  DeleteFileAnswer,
  Job,
  Key,
  ListDeliveredImagesAnswer,
  NewKey,
  PurgeDeliveredImagesAnswer,
  PurgeDeliveredImagesParams,
  UpdateKeyBody,
  WebhookDelivery,
  WebhookSecret,
  WebhookTest,
} from './types.generated.ts';

/** Results that were requested with `output: 'json'`. They expire after one hour. */
export class Files extends Group {
  /** @param file its id, or its URL as in the result */
  async download(file: string, options: CallOptions = {}): Promise<FileAnswer> {
    return new FileAnswer(await this.transport.send(filePath(file), options));
  }

  delete(file: string, options: CallOptions = {}): Promise<DeleteFileAnswer> {
    return this.transport.json(filePath(file), { method: 'DELETE', ...options });
  }
}

/** Of a URL only the last part is used, so that the key is sent to this service only. */
const filePath = (file: string): string => `/api/v1/files/${segment(file.split('/').at(-1)!)}`;

const DELIVERED = '/api/v1/delivery/images';

/** The cache of images that are requested by address (`signImageAddress`). */
export class DeliveredImages extends Group {
  /** Returns how many images it holds for the account, and their size. */
  count(options: CallOptions = {}): Promise<ListDeliveredImagesAnswer> {
    return this.transport.json(DELIVERED, options);
  }

  /** Removes images, so that they are made again: of a source, of all sources with a prefix, with a tag, or all. */
  purge(params: PurgeDeliveredImagesParams, options: CallOptions = {}): Promise<PurgeDeliveredImagesAnswer> {
    return this.transport.json(DELIVERED, { method: 'DELETE', query: { ...params }, ...options });
  }
}

const KEYS = '/api/v1/keys';

/** Needs a key with the scope `admin`. */
export class Keys extends Group {
  /** Lists all usable keys, and the 100 that were revoked or have expired last. */
  async list(options: CallOptions = {}): Promise<Key[]> {
    const { keys } = await this.transport.json<{ keys: Key[] }>(KEYS, options);
    return keys;
  }

  /** Creates a key. Only this response contains the key itself. */
  create(request: CreateKeyBody = {}, options: CallOptions = {}): Promise<NewKey> {
    return this.transport.json(KEYS, { method: 'POST', ...options, ...jsonBody(request) });
  }

  update(id: string, request: UpdateKeyBody, options: CallOptions = {}): Promise<Key> {
    return this.transport.json(`${KEYS}/${segment(id)}`, { method: 'PATCH', ...options, ...jsonBody(request) });
  }

  /** Revokes a key permanently. */
  revoke(id: string, options: CallOptions = {}): Promise<Key> {
    return this.transport.json(`${KEYS}/${segment(id)}`, { method: 'DELETE', ...options });
  }
}

const SECRET = '/api/v1/webhook-secret';

export class Webhooks extends Group {
  /** Reads the secret that {@link verifyWebhook} needs. Needs a key with the scope `admin`. */
  secret(options: CallOptions = {}): Promise<WebhookSecret> {
    return this.transport.json(SECRET, options);
  }

  /** Creates a new secret. For 24 hours webhooks are also signed with the previous one. */
  rotateSecret(options: CallOptions = {}): Promise<WebhookSecret> {
    return this.transport.json(`${SECRET}/rotate`, { method: 'POST', ...options });
  }

  /** Sends a test to a URL and returns the outcome. */
  test(webhookUrl: string, options: CallOptions = {}): Promise<WebhookTest> {
    return this.transport.json('/api/v1/webhook-test', {
      method: 'POST',
      ...options,
      ...jsonBody({ webhook_url: webhookUrl }),
    });
  }

  /** Lists the attempts to deliver the webhook of a job, in their order. */
  async deliveries(jobId: string, options: CallOptions = {}): Promise<WebhookDelivery[]> {
    const path = `/api/v1/jobs/${segment(jobId)}/deliveries`;
    const { deliveries } = await this.transport.json<{ deliveries: WebhookDelivery[] }>(path, options);
    return deliveries;
  }

  /** Sends the webhook of a job again. */
  redeliver(jobId: string, options: CallOptions = {}): Promise<Job> {
    return this.transport.json(`/api/v1/jobs/${segment(jobId)}/redeliver`, { method: 'POST', ...options });
  }
}
