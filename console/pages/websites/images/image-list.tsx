/** Lists the images that a scan found. */
import './images.css';
import { useState } from 'preact/hooks';
import { route } from '../../../shell/router.ts';
import { Notice, Spinner } from '../../../ui/feedback.tsx';
import { Pager } from '../../../ui/pager.tsx';
import { useData } from '../../../ui/use-loaded.ts';
import { sitesClient } from '../client.ts';
import { filtersOf, setFilters } from '../filters.ts';
import type { ListAssetsParams, SectionProps, SiteAsset } from '../types.ts';
import { DecideMany } from './decide-many.tsx';
import { useDecisions } from './decisions.ts';
import { ImageDetail } from './image-detail.tsx';
import { ImageFilters } from './image-filters.tsx';
import { ImageGrid } from './image-grid.tsx';
import { ImageTable } from './image-table.tsx';

const FILTERS = ['kind', 'status', 'issue', 'page', 'mapped', 'q', 'sort', 'offset'];
const LIMIT = 24;

export function ImageList({ scan, changes, act }: SectionProps) {
  const { scans } = sitesClient.value;
  const { query } = route.value;
  const [ticked, setTicked] = useState<ReadonlySet<number>>(new Set());
  const filters = filtersOf(FILTERS, query);
  const { value, error } = useData(
    (signal) => scans.listAssets(scan.id, { ...filters, limit: LIMIT } as ListAssetsParams, { signal }),
    [scans, scan.id, JSON.stringify(filters), changes],
  );
  const decisions = useDecisions(scan.id, value);
  const assets = value?.assets.map((asset) => decisions.decided.get(asset.seq) ?? asset) ?? [];
  const tick = (seq: number, isOn: boolean) =>
    setTicked((before) => {
      const after = new Set(before);
      if (isOn) after.add(seq);
      else after.delete(seq);
      return after;
    });
  const list = {
    ...{ scan, assets, ticked, onTick: tick, isBusy: decisions.progress !== undefined },
    onDecide: (seq: number, approval: SiteAsset['approval']) => void decisions.run([seq], { approval }),
  };
  return (
    <section class="stack" aria-label="Images">
      <ImageFilters scan={scan} query={query} />
      {value && value.total > 0 && (
        <DecideMany scan={scan} assets={assets} ticked={ticked} onTicked={setTicked} decisions={decisions} act={act} />
      )}
      {error !== undefined && <Notice error={error} />}
      {decisions.error !== undefined && <Notice error={decisions.error} />}
      {!value && error === undefined && <Spinner label="Reading the images" />}
      {value?.total === 0 && (
        <Notice>
          {scan.totals.assets === 0 ? 'No image was found yet.' : 'No image fits. Change what you look for.'}
        </Notice>
      )}
      {value && value.total > 0 && (
        <>
          {query.get('view') === 'table' ? (
            <ImageTable {...list} sort={query.get('sort') ?? '-bytes_saved'} />
          ) : (
            <ImageGrid {...list} />
          )}
          <Pager what="images" slice={value} onOffset={(offset) => setFilters({ offset: String(offset) })} />
        </>
      )}
    </section>
  );
}

export function Images(props: SectionProps) {
  const { scan, changes, part } = props;
  return part === undefined ? <ImageList {...props} /> : <ImageDetail scan={scan} changes={changes} seq={part} />;
}
