import type { ComponentChildren } from 'preact';
import { bytesText } from '../../../ui/format.ts';
import { toServicePath } from '../../../ui/path-of.ts';
import { ScrollBox } from '../../../ui/scroll-box.tsx';
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
    <ScrollBox label="New files of this image">
      <table>
        <thead>
          <tr>
            <th scope="col">New file</th>
            <th scope="col" class="numbers">
              Bytes
            </th>
            <th scope="col">Size</th>
            <th scope="col">Looks the same</th>
            <th scope="col">Use</th>
            <td />
          </tr>
        </thead>
        <tbody>
          {results.map((output) => (
            <OutputRow key={output.id} output={output}>
              {output.id === optimized?.id ? (
                'chosen'
              ) : (
                <button type="button" disabled={isBusy} onClick={() => onChoose(output.id)}>
                  Use this one
                </button>
              )}
            </OutputRow>
          ))}
          {variants.map((output) => (
            <OutputRow key={output.id} output={output}>
              copy for srcset
            </OutputRow>
          ))}
        </tbody>
      </table>
    </ScrollBox>
  );
}

function OutputRow({ output, children }: { output: SiteOutput; children: ComponentChildren }) {
  const { filename, format, bytes, width, height, quality, similarity, url } = output;
  return (
    <tr>
      <td class="name">
        {filename}
        <small>
          {format}
          {quality !== null && `, quality ${quality}`}
        </small>
      </td>
      <td class="numbers">{bytesText(bytes)}</td>
      <td>
        {width} × {height}
      </td>
      <td>{similarity !== null && `${(100 * similarity).toFixed(1)}%`}</td>
      <td>{children}</td>
      <td>
        <SaveButton path={toServicePath(url)} filename={filename} what={filename} />
      </td>
    </tr>
  );
}
