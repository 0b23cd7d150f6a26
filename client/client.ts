/** The service in the hands of TypeScript and JavaScript, in Node 20 and newer and in browsers, without dependencies. */
import { Files, Keys, Webhooks } from './account.ts';
import { FileAnswer } from './answer.ts';
import type { CallOptions } from './calls.ts';
import {
  type FaviconOperation,
  type ImageOperation,
  imageOperation,
  type PipelineOperation,
  type RecordOperation,
  type WithBackground,
  type WithWatermark,
} from './images.ts';
import { Jobs } from './jobs.ts';
import { Pipelines } from './pipelines.ts';
import { Sites } from './sites.ts';
import { Transport, type TransportOptions } from './transport.ts';
import type {
  BlurFacesParams,
  CompressParams,
  FaceDetectionResult,
  FacesParams,
  GifParams,
  HealthzAnswer,
  IdPhotoParams,
  IdPhotoPreset,
  InspectionRecord,
  InspectParams,
  ListFormatsAnswer,
  OcrParams,
  ReadyzAnswer,
  Recognition,
  RemoveBackgroundParams,
  UpscaleParams,
  Usage,
} from './types.generated.ts';

export interface ImagecrewOptions extends TransportOptions {
  /** Of the service, as `https://images.example.com`. */
  baseUrl: string;
  /** Milliseconds from sending a request to the beginning of its answer, of each attempt. Default: 10 minutes. */
  timeoutMs?: number | undefined;
}

const TIMEOUT_MS = 600_000;

export class Imagecrew {
  /** Compress, convert, resize, edit. */
  readonly compress: ImageOperation<CompressParams, WithWatermark>;
  /** What is in a file; changes nothing. */
  readonly inspect: RecordOperation<InspectParams, InspectionRecord>;
  /** Twice as wide and high (scope `ai`). */
  readonly upscale: ImageOperation<UpscaleParams>;
  /** A ZIP of every icon that a website needs. */
  readonly favicon: FaviconOperation;
  /** Edits an animation. */
  readonly gif: ImageOperation<GifParams>;
  /** An ID or passport photo. */
  readonly idPhoto: ImageOperation<IdPhotoParams>;
  /** Cuts the subject out (scope `ai`). */
  readonly removeBackground: ImageOperation<RemoveBackgroundParams, WithBackground>;
  /** Where the faces are, largest first (scope `ai`). */
  readonly faces: RecordOperation<FacesParams, FaceDetectionResult>;
  /** Covers faces (scope `ai`), or areas of your own. */
  readonly blurFaces: ImageOperation<BlurFacesParams>;
  /** Reads text (scope `ai`). */
  readonly ocr: RecordOperation<OcrParams, Recognition>;
  /** Several steps on one image (Pro plan). */
  readonly pipeline: PipelineOperation;

  readonly pipelines: Pipelines;
  readonly jobs: Jobs;
  readonly sites: Sites;
  readonly files: Files;
  readonly keys: Keys;
  readonly webhooks: Webhooks;

  readonly #transport: Transport;

  constructor({ baseUrl, timeoutMs = TIMEOUT_MS, ...options }: ImagecrewOptions) {
    const transport = new Transport({ ...options, timeoutMs, baseUrl: checkedUrl(baseUrl) });
    this.#transport = transport;
    this.compress = imageOperation(transport, '/api/v1/compress');
    this.inspect = imageOperation(transport, '/api/v1/inspect');
    this.upscale = imageOperation(transport, '/api/v1/upscale');
    this.favicon = imageOperation(transport, '/api/v1/favicon', FileAnswer);
    this.gif = imageOperation(transport, '/api/v1/gif');
    this.idPhoto = imageOperation(transport, '/api/v1/id-photo');
    this.removeBackground = imageOperation(transport, '/api/v1/remove-background');
    this.faces = imageOperation(transport, '/api/v1/faces');
    this.blurFaces = imageOperation(transport, '/api/v1/blur-faces');
    this.ocr = imageOperation(transport, '/api/v1/ocr');
    this.pipeline = imageOperation(transport, '/api/v1/pipeline');
    this.pipelines = new Pipelines(transport);
    this.jobs = new Jobs(transport);
    this.sites = new Sites(transport);
    this.files = new Files(transport);
    this.keys = new Keys(transport);
    this.webhooks = new Webhooks(transport);
  }

  /** The sizes that {@link idPhoto} knows, each with the page that it was read from. Needs no key. */
  async idPhotoPresets(options: CallOptions = {}): Promise<IdPhotoPreset[]> {
    const { presets } = await this.#transport.json<{ presets: IdPhotoPreset[] }>('/api/v1/id-photo', options);
    return presets;
  }

  /** What the service reads and writes. */
  formats(options: CallOptions = {}): Promise<ListFormatsAnswer> {
    return this.#transport.json('/api/v1/formats', options);
  }

  /** This month's usage and the limits. */
  usage(options: CallOptions = {}): Promise<Usage> {
    return this.#transport.json('/api/v1/usage', options);
  }

  /** Whether the service is alive. */
  health(options: CallOptions = {}): Promise<HealthzAnswer> {
    return this.#transport.json('/healthz', options);
  }

  /** Whether the service takes requests; that it does not is an answer too. */
  readiness(options: CallOptions = {}): Promise<ReadyzAnswer> {
    return this.#transport.json('/readyz', { ...options, accepts: 503 });
  }
}

/** @throws TypeError */
function checkedUrl(baseUrl: string): string {
  const { protocol, username, password, search, hash } = new URL(baseUrl);
  if (!/^https?:$/.test(protocol))
    throw new TypeError(`Expected an address of http or https for baseUrl but received "${baseUrl}".`);
  if (username || password || search || hash)
    throw new TypeError(
      'Expected an address without a name, a query and a fragment for baseUrl but received one with.',
    );
  return baseUrl.replace(/\/+$/, '');
}
