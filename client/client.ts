/** The client for TypeScript and JavaScript, for Node 20 and newer and for browsers, without dependencies. */
import { DeliveredImages, Files, Keys, Webhooks } from './account.ts';
import type { CallOptions } from './calls.ts';
import { imageOperation } from './images.ts';
import { Jobs } from './jobs.ts';
import { ImageOperations } from './operations.generated.ts';
import { type PipelineOperation, Pipelines } from './pipelines.ts';
import { Sites } from './sites.ts';
import { Transport, type TransportOptions } from './transport.ts';
import type { HealthzAnswer, IdPhotoPreset, ListFormatsAnswer, ReadyzAnswer, Usage } from './types.generated.ts';

export interface ImagecrewOptions extends TransportOptions {
  /** URL of the service, such as `https://images.example.com`. */
  baseUrl: string;
  /** Milliseconds from sending a request to the start of its response, per attempt. Default: 10 minutes. */
  timeoutMs?: number | undefined;
}

const TIMEOUT_MS = 600_000;

export class Imagecrew extends ImageOperations {
  /** Runs several steps on one image (Pro plan). */
  readonly pipeline: PipelineOperation;

  readonly pipelines: Pipelines;
  readonly jobs: Jobs;
  readonly sites: Sites;
  readonly files: Files;
  readonly deliveredImages: DeliveredImages;
  readonly keys: Keys;
  readonly webhooks: Webhooks;

  readonly #transport: Transport;

  /** @throws TypeError for a missing or invalid `baseUrl` */
  constructor(options: ImagecrewOptions) {
    const { baseUrl, timeoutMs = TIMEOUT_MS, ...others } = options ?? {};
    const transport = new Transport({ ...others, timeoutMs, baseUrl: checkedUrl(baseUrl) });
    super(transport);
    this.#transport = transport;
    this.pipeline = imageOperation(transport, '/api/v1/pipeline');
    this.pipelines = new Pipelines(transport);
    this.jobs = new Jobs(transport);
    this.sites = new Sites(transport);
    this.files = new Files(transport);
    this.deliveredImages = new DeliveredImages(transport);
    this.keys = new Keys(transport);
    this.webhooks = new Webhooks(transport);
  }

  /** Lists the presets of {@link idPhoto}, each with the page that its values come from. Needs no key. */
  async idPhotoPresets(options: CallOptions = {}): Promise<IdPhotoPreset[]> {
    const { presets } = await this.#transport.json<{ presets: IdPhotoPreset[] }>('/api/v1/id-photo', options);
    return presets;
  }

  /** Lists the formats that the service reads and writes. */
  formats(options: CallOptions = {}): Promise<ListFormatsAnswer> {
    return this.#transport.json('/api/v1/formats', options);
  }

  /** Returns this month's usage and the limits. */
  usage(options: CallOptions = {}): Promise<Usage> {
    return this.#transport.json('/api/v1/usage', options);
  }

  /** Checks whether the process is alive. */
  health(options: CallOptions = {}): Promise<HealthzAnswer> {
    return this.#transport.json('/healthz', options);
  }

  /** Returns whether the service accepts requests. Status 503 is not an error here. */
  readiness(options: CallOptions = {}): Promise<ReadyzAnswer> {
    return this.#transport.json('/readyz', { ...options, accepts: 503 });
  }
}

/** @throws TypeError for an invalid URL */
function checkedUrl(baseUrl: string): string {
  if (typeof baseUrl !== 'string' || !URL.canParse(baseUrl))
    throw new TypeError(
      `Expected the address of the service, such as https://images.example.com, for baseUrl but received ${JSON.stringify(baseUrl)}.`,
    );
  const { protocol, username, password, search, hash } = new URL(baseUrl);
  if (!/^https?:$/.test(protocol))
    throw new TypeError(`Expected an address of http or https for baseUrl but received "${baseUrl}".`);
  if (username || password || search || hash)
    throw new TypeError(
      'Expected an address without a name, a query and a fragment for baseUrl but received one with.',
    );
  return baseUrl.replace(/\/+$/, '');
}
