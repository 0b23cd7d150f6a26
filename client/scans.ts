/** Scans of websites, with their pages and images. */
import { FileAnswer } from './answer.ts';
import { type CallOptions, Group, itemsOf, jsonBody, segment } from './calls.ts';
import { endOf, eventsOf } from './events.ts';
import type {
  ApproveAssetBody,
  CreateScanBody,
  DeleteScanAnswer,
  DownloadAssetParams,
  ListAssetsAnswer,
  ListAssetsParams,
  ListPagesAnswer,
  ListPagesParams,
  ListScansAnswer,
  ListScansParams,
  SiteAsset,
  SiteAssetDetail,
  SitePage,
  SitePageDetail,
  SiteProject,
  SiteScan,
  SiteScanProgress,
  SiteScanTotals,
  UpdateScanBody,
} from './types.generated.ts';

const PATH = '/api/v1/sites/scans';

export type ScanEvent =
  | { type: 'scan' | 'end'; data: SiteScan }
  | { type: 'progress'; data: { progress: SiteScanProgress; totals: SiteScanTotals } }
  | { type: 'page'; data: SitePage }
  | { type: 'asset'; data: SiteAsset };

export class Scans extends Group {
  create(request: CreateScanBody, options: CallOptions = {}): Promise<SiteScan> {
    return this.transport.json(PATH, { method: 'POST', ...options, ...jsonBody(request) });
  }

  /** Lists projects with their scans, one page of the list. */
  list(params: ListScansParams = {}, options: CallOptions = {}): Promise<ListScansAnswer> {
    return this.transport.json(PATH, { query: params, ...options });
  }

  /** Yields all projects. */
  projects(params: ListScansParams = {}, options: CallOptions = {}): AsyncGenerator<SiteProject, void, undefined> {
    return itemsOf(async (part: ListScansParams) => {
      const { projects, total } = await this.list(part, options);
      return { items: projects, total };
    }, params);
  }

  read(id: string, options: CallOptions = {}): Promise<SiteScan> {
    return this.transport.json(pathOf(id), options);
  }

  /** Changes a scan's state: `select`, `start`, `cancel`, `retry`, `optimize` or `package`. */
  update(id: string, request: UpdateScanBody, options: CallOptions = {}): Promise<SiteScan> {
    return this.transport.json(pathOf(id), { method: 'PATCH', ...options, ...jsonBody(request) });
  }

  /** Deletes a scan with its results and files. */
  delete(id: string, options: CallOptions = {}): Promise<DeleteScanAnswer> {
    return this.transport.json(pathOf(id), { method: 'DELETE', ...options });
  }

  /** Yields the events of a scan until it has ended or waits for its owner. Lost connections are opened again. */
  events(id: string, options: CallOptions = {}): AsyncGenerator<ScanEvent, void, undefined> {
    return eventsOf<ScanEvent>(this.transport, `${pathOf(id)}/events`, options);
  }

  /** Returns the scan when it has ended or waits for its owner. */
  wait(id: string, options: CallOptions = {}): Promise<SiteScan> {
    return endOf<SiteScan>(this.events(id, options));
  }

  /** Lists pages, one page of the list. */
  listPages(id: string, params: ListPagesParams = {}, options: CallOptions = {}): Promise<ListPagesAnswer> {
    return this.transport.json(`${pathOf(id)}/pages`, { query: params, ...options });
  }

  /** Yields all pages that match the filters. */
  pages(
    id: string,
    params: ListPagesParams = {},
    options: CallOptions = {},
  ): AsyncGenerator<SitePage, void, undefined> {
    return itemsOf(async (part: ListPagesParams) => {
      const { pages, total } = await this.listPages(id, part, options);
      return { items: pages, total };
    }, params);
  }

  /** Returns a page with every image that it uses. */
  page(id: string, seq: number, options: CallOptions = {}): Promise<SitePageDetail> {
    return this.transport.json(`${pathOf(id)}/pages/${segment(seq)}`, options);
  }

  /** Lists images, one page of the list. */
  listAssets(id: string, params: ListAssetsParams = {}, options: CallOptions = {}): Promise<ListAssetsAnswer> {
    return this.transport.json(`${pathOf(id)}/assets`, { query: params, ...options });
  }

  /** Yields all images that match the filters. */
  assets(
    id: string,
    params: ListAssetsParams = {},
    options: CallOptions = {},
  ): AsyncGenerator<SiteAsset, void, undefined> {
    return itemsOf(async (part: ListAssetsParams) => {
      const { assets, total } = await this.listAssets(id, part, options);
      return { items: assets, total };
    }, params);
  }

  /** Returns an image, the pages that use it, and its line of the replacement map. */
  asset(id: string, seq: number, options: CallOptions = {}): Promise<SiteAssetDetail> {
    return this.transport.json(assetPath(id, seq), options);
  }

  approve(id: string, seq: number, request: ApproveAssetBody, options: CallOptions = {}): Promise<SiteAsset> {
    return this.transport.json(assetPath(id, seq), { method: 'PATCH', ...options, ...jsonBody(request) });
  }

  /** Downloads the new file of an image, a candidate, or the original. */
  async assetFile(
    id: string,
    seq: number,
    params: DownloadAssetParams = {},
    options: CallOptions = {},
  ): Promise<FileAnswer> {
    return new FileAnswer(await this.transport.send(`${assetPath(id, seq)}/file`, { query: params, ...options }));
  }

  /** @param name as in `downloads` of the scan, or its URL there */
  async download(id: string, name: string, options: CallOptions = {}): Promise<FileAnswer> {
    const file = name.split('/').at(-1)!;
    return new FileAnswer(await this.transport.send(`${pathOf(id)}/downloads/${segment(file)}`, options));
  }
}

const pathOf = (id: string): string => `${PATH}/${segment(id)}`;
const assetPath = (id: string, seq: number): string => `${pathOf(id)}/assets/${segment(seq)}`;
