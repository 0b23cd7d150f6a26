/** Lists several results of a pipeline. */
import type { ComponentChildren } from 'preact';
import { Table } from '../../ui/table.tsx';

interface OutputRow {
  filename: ComponentChildren;
  width: number | null;
  height: number | null;
  bytes: string;
}

export function OutputTable({ label, outputs }: { label: string; outputs: readonly OutputRow[] }) {
  return (
    <Table
      label={label}
      columns={['File', 'Size', 'Bytes']}
      rows={outputs.map(({ filename, width, height, bytes }) => [
        filename,
        width === null || height === null ? 'depends on the image' : `${width} × ${height}`,
        bytes,
      ])}
    />
  );
}
