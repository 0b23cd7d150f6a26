import type { ComponentChildren } from 'preact';
import { toServicePath } from '../../../ui/files.ts';
import { bytesText } from '../../../ui/format.ts';
import { Table } from '../../../ui/table.tsx';
import { SaveButton } from '../package/save-button.tsx';
import type { SiteAsset, SiteOutput } from '../types.ts';

export interface OutputsProps {
  asset: SiteAsset;
  isBusy: boolean;
  onChoose(id: string): void;
}

/** Lists the results of an image: the selected one, the alternatives, and copies in other widths. */
export function Outputs({ asset: { optimized, candidates, variants }, isBusy, onChoose }: OutputsProps) {
  const results = [...(optimized ? [optimized] : []), ...candidates.filter(({ id }) => id !== optimized?.id)];
  if (results.length + variants.length === 0) return null;
  return (
    <Table
      label="New files of this image"
      columns={[['New file', 'name'], ['Bytes', 'numbers'], 'Size', 'Looks the same', 'Use', '']}
      rows={[
        ...results.map((output) =>
          cellsOf(
            output,
            output.id === optimized?.id ? (
              'chosen'
            ) : (
              <button type="button" disabled={isBusy} onClick={() => onChoose(output.id)}>
                Use this one
              </button>
            ),
          ),
        ),
        ...variants.map((output) => cellsOf(output, 'copy for srcset')),
      ]}
    />
  );
}

function cellsOf(output: SiteOutput, use: ComponentChildren): ComponentChildren[] {
  const { id, filename, format, bytes, width, height, quality, similarity, url } = output;
  return [
    <>
      {filename}
      <small>
        {format}
        {quality !== null && `, quality ${quality}`}
      </small>
    </>,
    bytesText(bytes),
    `${width} × ${height}`,
    similarity !== null && `${(100 * similarity).toFixed(1)}%`,
    use,
    <SaveButton key={id} path={toServicePath(url)} filename={filename} what={filename} />,
  ];
}
