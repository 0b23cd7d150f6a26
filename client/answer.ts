/** Responses that are files: their bytes as a stream, and the values of their headers. */
import type { StoredResult } from './types.generated.ts';

/** One limit and what is left of it. */
export interface Limit {
  limit: number | undefined;
  remaining: number;
  /** Seconds until the limit is reset. */
  resetSeconds: number;
}

/** Any file. Read its bytes once, with one of `body`, `arrayBuffer()` and `blob()`. */
export class FileAnswer {
  /** The response of fetch, for everything that has no property here. */
  readonly response: Response;

  constructor(response: Response) {
    this.response = response;
  }

  /** The bytes as a stream. */
  get body(): ReadableStream<Uint8Array> {
    return this.response.body!;
  }

  arrayBuffer(): Promise<ArrayBuffer> {
    return this.response.arrayBuffer();
  }

  blob(): Promise<Blob> {
    return this.response.blob();
  }

  get contentType(): string | undefined {
    return this.text('Content-Type');
  }

  /** The file name that the service suggests. */
  get fileName(): string | undefined {
    const header = this.text('Content-Disposition') ?? '';
    const encoded = /filename\*=UTF-8''([^;]+)/i.exec(header)?.[1];
    return encoded === undefined ? /filename="([^"]*)"/i.exec(header)?.[1] : decodeURIComponent(encoded);
  }

  /** Size of this file. */
  get bytes(): number | undefined {
    return this.number('X-IC-Bytes') ?? this.number('Content-Length');
  }

  get format(): string | undefined {
    return this.text('X-IC-Format');
  }

  /** In pixels. */
  get width(): number | undefined {
    return this.number('X-IC-Width');
  }

  get height(): number | undefined {
    return this.number('X-IC-Height');
  }

  /** Codes of warnings. */
  get warnings(): string[] {
    return this.text('X-IC-Warnings')?.split(',') ?? [];
  }

  get durationMs(): number | undefined {
    return this.number('X-IC-Duration-Ms');
  }

  /** Quote it when you ask the operator of the service for help. */
  get requestId(): string | undefined {
    return this.text('X-Request-Id');
  }

  /** The quotas that the request was counted against. */
  get quotaMeter(): 'requests' | 'ai' | 'requests, ai' | 'none' | undefined {
    return this.text('X-Quota-Meter') as 'requests' | undefined;
  }

  get isTestMode(): boolean {
    return this.text('X-IC-Test-Mode') === 'true';
  }

  /** The caller's limits by name: `minute`, `month`, `ai`, `key`, or `day` for a test key. */
  get limits(): Readonly<Record<string, Limit>> {
    const policies = this.text('RateLimit-Policy') ?? '';
    const states = (this.text('RateLimit') ?? '').matchAll(/"(\w+)";r=(\d+);t=(\d+)/g);
    return Object.fromEntries(
      [...states].map(([, name, remaining, seconds]) => {
        const limit = new RegExp(`"${name}";q=(\\d+)`).exec(policies)?.[1];
        const limited = { remaining: Number(remaining), resetSeconds: Number(seconds) };
        return [name!, { limit: limit === undefined ? undefined : Number(limit), ...limited }];
      }),
    );
  }

  protected text(header: string): string | undefined {
    return this.response.headers.get(header) ?? undefined;
  }

  protected number(header: string): number | undefined {
    const text = this.text(header);
    return text === undefined ? undefined : Number(text);
  }
}

/** An image that an operation has produced. */
export class ImageAnswer extends FileAnswer {
  /** Size of the source in bytes. */
  get originalBytes(): number {
    return this.number('X-IC-Original-Bytes')!;
  }

  override get bytes(): number {
    return super.bytes!;
  }

  /** As in the list of formats. */
  override get format(): string {
    return super.format!;
  }

  override get width(): number {
    return super.width!;
  }

  override get height(): number {
    return super.height!;
  }

  get outcome(): StoredResult['outcome'] {
    return this.text('X-IC-Outcome') as StoredResult['outcome'];
  }

  override get durationMs(): number {
    return super.durationMs!;
  }

  /** Similarity of the result to the source, 0 to 1; with `score`. */
  get similarity(): number | undefined {
    return this.number('X-IC-Similarity');
  }

  /** Perceptual hash of the source; with `fingerprint`. */
  get fingerprint(): string | undefined {
    return this.text('X-IC-Fingerprint');
  }

  /** blurFaces: number of areas that were covered. */
  get faces(): number | undefined {
    return this.number('X-IC-Faces');
  }

  /** gif: frames of the result. */
  get frames(): number | undefined {
    return this.number('X-IC-Frames');
  }

  get animationMs(): number | undefined {
    return this.number('X-IC-Animation-Ms');
  }

  /** gif: frames of the upload. */
  get sourceFrames(): number | undefined {
    return this.number('X-IC-Source-Frames');
  }

  get sourceAnimationMs(): number | undefined {
    return this.number('X-IC-Source-Animation-Ms');
  }

  /** pipeline: number of steps that were applied, and of all steps. */
  get steps(): { applied: number; all: number } | undefined {
    const [applied, all] = this.text('X-IC-Steps')?.split('/').map(Number) ?? [];
    return applied === undefined || all === undefined ? undefined : { applied, all };
  }
}
