import { to } from '../../../shell/router.ts';
import { countText } from '../../../ui/format.ts';
import { ScrollBox } from '../../../ui/table.tsx';
import { SortableHeader } from '../filter-fields.tsx';
import { ASSET_KINDS, shortAddress } from '../labels.ts';
import { DecisionButtons } from './decision-buttons.tsx';
import { ImageBytes, type ImageListProps, ImageState } from './image-grid.tsx';
import { Thumbnail } from './thumbnail.tsx';

const SIZE = 56;

export function ImageTable({
  scan,
  assets,
  sort,
  ticked,
  isBusy,
  onTick,
  onDecide,
}: ImageListProps & { sort: string }) {
  return (
    <ScrollBox label="Table of images">
      <table class="image-table">
        <thead>
          <tr>
            <td />
            <SortableHeader title="Image" field="url" sort={sort} isText />
            <SortableHeader title="Bytes" field="bytes" sort={sort} />
            <SortableHeader title="Width" field="width" sort={sort} />
            <SortableHeader title="Pages" field="pages" sort={sort} />
            <SortableHeader title="State" field="status" sort={sort} isText />
            <th scope="col">Decision</th>
          </tr>
        </thead>
        <tbody>
          {assets.map((asset) => {
            const { seq, url, kind, width, height, pages } = asset;
            const name = shortAddress(url, scan.domain);
            return (
              <tr key={seq}>
                <td>
                  <div class="row pick">
                    <input
                      type="checkbox"
                      aria-label={`Choose ${name}`}
                      checked={ticked.has(seq)}
                      onChange={({ currentTarget }) => onTick(seq, currentTarget.checked)}
                    />
                    <Thumbnail scanId={scan.id} asset={asset} size={SIZE} />
                  </div>
                </td>
                <td class="name">
                  <a href={to(['websites', scan.id, 'images', String(seq)])}>{name}</a>
                  <small>{ASSET_KINDS[kind]}</small>
                </td>
                <td class="numbers amount">
                  <ImageBytes asset={asset} />
                </td>
                <td class="numbers">{width !== null && `${width} × ${height}`}</td>
                <td class="numbers">{countText(pages)}</td>
                <td>
                  <span class="tags">
                    <ImageState asset={asset} />
                  </span>
                </td>
                <td>
                  <DecisionButtons
                    asset={asset}
                    name={name}
                    isBusy={isBusy}
                    onDecide={(approval) => onDecide(seq, approval)}
                  />
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </ScrollBox>
  );
}
