/** Writes the document of the measurements. */
import { table } from '../markdown-table.ts';
import type { DepthRow } from './depth.ts';
import type { ToneMappingRow } from './tone-mapping.ts';

export interface Measurements {
  commit: string;
  /** ISO 8601 date. */
  date: string;
  versions: string;
  toneMapping: readonly ToneMappingRow[];
  depth: readonly DepthRow[];
}

const figures = ({ mean, most }: ToneMappingRow['formulas']): [string, number] => [mean.toFixed(2), most];

export function writeReport({ commit, date, versions, toneMapping, depth }: Measurements): string {
  return `# High dynamic range and depth

Made by \`npm run hdr\` from commit ${commit} on ${date}, with ${versions}.

## Tone mapping

Ten files in PQ and HLG become a PNG in sRGB. Differences are those of the samples, of 255, after a decoder of another maker:

- **Formulas**: ITU-R BT.2390-11 (the curve), BT.2100-2 (PQ and HLG), BT.2408-7 (white of 203 cd/m²) and sRGB, computed in
  floating point for each pixel. The peak is the one that the file records, or 1,000 cd/m²; light above it is clipped.
- **libplacebo**, the renderer of mpv and VLC, with the same curve on the brightest component. It lifts black to that of a
  display with a contrast of 1,000:1, which we do not, because an sRGB file has no such black. The last column has only
  samples from level 96 on, where this matters less.

${table(
  [
    ...['file', 'pixels', 'formulas: mean', '99% differ by at most', 'libplacebo: mean', '99% differ by at most'],
    'libplacebo: mean from level 96 on',
  ],
  toneMapping.map(({ name, width, height, formulas, libplacebo, bright }) => [
    ...[name, `${width} x ${height}`, ...figures(formulas), ...figures(libplacebo), bright.toFixed(2)],
  ]),
)}

The files of the corpus lie beside the repository; the others are drawn by the program.

## Depth

Samples of every level are coded by programs of other makers, turned by half by the service without loss, and decoded by
programs of other makers. HEIC is read with 8 bits, and the result warns \`depth_reduced\`.

${table(
  ['source', 'result', 'bits compared', 'decoded by', 'samples', 'differing'],
  depth.map(({ source, result, bits, decoder, samples, differing }) => [
    ...[source, result, bits, decoder, samples, differing],
  ]),
)}
`;
}
