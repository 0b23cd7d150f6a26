/** Writes the tables and the result files. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CONTENDERS, REFERENCE, SMALL_FILE_REFERENCE } from './contenders/index.ts';
import { plot } from './plot.ts';
import { type Figure, type Means, meansOf, type Report, type Values } from './results.ts';
import { renderSvg } from './svg.ts';

const PLOT_SCALE = 2;

interface Column {
  title: string;
  text(values: Values): string;
}

const orDash = (value: number | null, text: (value: number) => string) => (value === null ? '–' : text(value));
const megabytes = (bytes: number) => String(Math.round(bytes / 1e6));

const COLUMNS: readonly Column[] = [
  { title: 'images/s', text: ({ imagesPerSecond }) => imagesPerSecond.toFixed(2) },
  { title: '× sharp', text: ({ ratio }) => orDash(ratio, (value) => value.toFixed(2)) },
  { title: '± %', text: ({ spread }) => ((spread * 100) / 2).toFixed(0) },
  { title: 'median ms', text: ({ medianMs }) => medianMs.toFixed(1) },
  { title: 'p95 ms', text: ({ p95Ms }) => p95Ms.toFixed(1) },
  { title: 'bytes', text: ({ bytesOut }) => bytesOut.toLocaleString('en') },
  { title: 'MS-SSIM', text: ({ score }) => (score ? score.similarity.toFixed(4) : '–') },
  { title: 'PSNR dB', text: ({ score }) => (score ? orDash(score.psnr, (value) => value.toFixed(1)) : '–') },
  { title: 'ready MB', text: ({ readyBytes }) => orDash(readyBytes, megabytes) },
  { title: 'peak MB', text: ({ peakBytes }) => orDash(peakBytes, megabytes) },
];

/**
 * Formats Markdown that is also readable as plain text: one table for all workloads if there are several, then one for
 * each.
 */
export function formatTables(figures: readonly Figure[]): string {
  const workloads = [...new Set(figures.map(({ workload }) => workload))];
  const tables = workloads.map((workload) => {
    const members = figures.filter((figure) => figure.workload === workload);
    return `### ${members[0]!.title}\n\n${formatTable(members)}`;
  });
  const means = workloads.length > 1 ? formatMeans(figures) : [];
  return [...means, ...tables].join('\n\n');
}

/** The libraries with which Imagecrew is compared over all workloads. */
const PEERS = [[SMALL_FILE_REFERENCE, REFERENCE], [REFERENCE], ['sharp-wasm32']];

function formatMeans(figures: readonly Figure[]): string[] {
  const own = CONTENDERS.filter(({ entry }) => entry === 'imagecrew');
  const means = own.flatMap(({ name }) => PEERS.flatMap((peers) => meansOf(figures, name, peers) ?? []));
  if (means.length === 0) return [];
  const head = ['', 'beside', 'workloads', 'images/s', 'peak memory', 'least images/s', 'in'];
  const row = ({ contender, peers, workloads, throughput, peakMemory, least }: Means): string[] => [
    contender,
    peers.join(', else '),
    String(workloads),
    throughput.toFixed(2),
    orDash(peakMemory, (value) => value.toFixed(2)),
    least.throughput.toFixed(2),
    least.workload,
  ];
  return [`### All workloads: geometric means of the shares\n\n${alignTable([head, ...means.map(row)])}`];
}

function formatTable(figures: readonly Figure[]): string {
  const rows = [
    ['', ...COLUMNS.map(({ title }) => title)],
    ...figures.flatMap(({ contender, values }) =>
      values ? [[contender, ...COLUMNS.map(({ text }) => text(values))]] : [],
    ),
  ];
  const absent = figures.flatMap((figure) =>
    figure.absent === undefined ? [] : `${figure.contender}: ${figure.absent}`,
  );
  return [alignTable(rows), ...absent].join('\n\n');
}

/** Formats a Markdown table. The first row is its head; the first column is text, the others are figures. */
export function alignTable([head = [], ...body]: readonly string[][]): string {
  const widths = head.map((_, column) => Math.max(3, ...[head, ...body].map((row) => row[column]!.length)));
  const line = (cells: string[]) => `| ${cells.join(' | ')} |`;
  const aligned = (row: readonly string[]) =>
    line(row.map((cell, column) => (column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]!))));
  const rule = line(widths.map((width, column) => (column === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`)));
  return [aligned(head), rule, ...body.map(aligned)].join('\n');
}

/** Describes in one line what was measured where. */
export function describe({ date, revision, machine, settings, images }: Report): string {
  const { cpu, cores, memoryBytes, node, load } = machine;
  const commit = `${revision.commit}${revision.dirty ? ' with changes' : ''}`;
  const effort = `${settings.rounds} rounds of ${settings.seconds} s${settings.quick ? ' (quick: no figures to quote)' : ''}`;
  return `${date.slice(0, 16)}Z, ${commit}, ${cpu}, ${cores} cores, ${Math.round(memoryBytes / 2 ** 30)} GiB, Node ${node}, load ${load.toFixed(2)}, ${images} images, ${effort}, ${settings.concurrency} requests at full load`;
}

/** Writes raw values and plot. @returns the common path of the files, without extension */
export async function writeReport(report: Report, folder: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  const stamp = report.date.slice(0, 16).replace(/[:T]/g, '-');
  const path = join(folder, `${stamp}-${report.revision.commit}${report.revision.dirty ? '-dirty' : ''}`);
  const svg = plot(report.figures, describe(report));
  await writeFile(`${path}.json`, `${JSON.stringify(report, null, 1)}\n`);
  await writeFile(`${path}.md`, `${describe(report)}\n\n${formatTables(report.figures)}\n`);
  await writeFile(`${path}.svg`, svg);
  await writeFile(`${path}.png`, await renderSvg(svg, PLOT_SCALE));
  return path;
}
