import { ScrollBox } from '../../../ui/scroll-box.tsx';
import type { OperationResponse } from './response.ts';

/** Lists all headers of the response. */
export function Headers({ answer: { headers } }: { answer: OperationResponse }) {
  return (
    <details class="headers">
      <summary>All {headers.length} headers of the answer</summary>
      <ScrollBox label="Headers of the answer">
        <table>
          <thead>
            <tr>
              <th scope="col">Header</th>
              <th scope="col">Value</th>
            </tr>
          </thead>
          <tbody>
            {headers.map(([name, value]) => (
              <tr key={name}>
                <td>
                  <code>{name}</code>
                </td>
                <td>
                  <code>{value}</code>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollBox>
    </details>
  );
}
