/** Shows the progress of a scan on one line of the terminal. */

import { printable } from '../../base/printable.ts';
import { bytesText } from '../../base/size-text.ts';
import { totalsOf } from '../../server/sites/records/scan.ts';
import type { ListedSiteScan } from '../../storage/ports/site-scans.ts';
import type { ScanStatus } from '../../storage/records/site-scans.ts';
import type { Io } from '../io.ts';
import { progressBar, statusLine } from '../progress.ts';
import { countText } from './sizes.ts';

type Shown = Pick<ListedSiteScan, 'status' | 'progressDone' | 'progressTotal' | 'progressUrl' | 'totals'>;

const BARS: Partial<Record<ScanStatus, string>> = {
  scanning: 'Reading pages and images',
  optimizing: 'Converting images',
  packaging: 'Packing',
};

export class ScanProgress {
  readonly #io: Io;
  readonly #line: (text: string) => void;
  #bar: ReturnType<typeof progressBar> | undefined;
  #status: ScanStatus | undefined;
  #found = '';

  constructor(io: Io) {
    this.#io = io;
    this.#line = statusLine(io);
  }

  show(scan: Shown): void {
    const { status, progressDone: done, progressTotal: total } = scan;
    const name = BARS[status];
    if (status === 'discovering') this.#line(foundText(scan));
    if (name === undefined || total === null || total === 0) return;
    if (status !== this.#status) {
      this.clear();
      this.#status = status;
    }
    const { assets, bytes_original } = totalsOf(scan);
    this.#found = `${countText(assets, 'image')}, ${bytesText(bytes_original)}`;
    this.#bar ??= progressBar(this.#io, name, (all) => `${countText(all, 'step')} (${this.#found})`);
    this.#bar.show(Math.min(done, total), total);
  }

  clear(): void {
    if (this.#bar) this.#bar.clear();
    else this.#line('');
    this.#bar = undefined;
  }
}

const foundText = ({ progressDone: done, progressUrl: url }: Shown): string =>
  `Finding pages: ${done.toLocaleString('en')}  ${printable(url ?? '').slice(0, 60)}`;
