import { Scrolls } from '../../../ui/scrolls.tsx';
import type { Answer } from './answer.ts';

/** Lists all headers of the response. */
export function Headers({ answer: { headers } }: { answer: Answer }) {
  return (
    <details class="headers">
      <summary>All {headers.length} headers of the answer</summary>
      <Scrolls label="Headers of the answer">
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
      </Scrolls>
    </details>
  );
}
