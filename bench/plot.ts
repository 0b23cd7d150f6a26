/** Plots the throughput of all contenders as bars, one group for each workload. */
import { CONTENDERS, REFERENCE } from './contenders/index.ts';
import type { Figure } from './results.ts';
import { escapeXml } from './svg.ts';

const WIDTH = 1080;
const MARGIN = 24;
const NAMES = 150;
const BAR = 18;
const GAP = 4;
const GROUP_HEAD = 34;
const GROUP_END = 14;
const HEAD = 84;
/** Space for the figures after the longest bar. */
const LABELS = 270;
const LONGEST = WIDTH - 2 * MARGIN - NAMES - LABELS;

const COLORS = new Map(CONTENDERS.map(({ name, color }) => [name, color]));
const INK = '#1c2733';
const QUIET = '#6b7785';

type Anchor = 'start' | 'end';

const text = (
  x: number,
  y: number,
  content: string,
  { size = 13, fill = INK, anchor = 'start' as Anchor, bold = false } = {},
) =>
  `<text x="${x}" y="${y}" font-size="${size}" fill="${fill}" text-anchor="${anchor}"${bold ? ' font-weight="600"' : ''}>${escapeXml(content)}</text>`;

/** Returns an SVG. Each group has its own scale: its fastest contender has the longest bar. */
export function plot(figures: readonly Figure[], caption: string): string {
  const groups = [...new Set(figures.map(({ workload }) => workload))].map((workload) =>
    figures.filter((figure) => figure.workload === workload),
  );
  let y = HEAD;
  const drawn = groups.map((members) => {
    const group = drawGroup(members, y);
    y += groupHeight(members);
    return group;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${y}" viewBox="0 0 ${WIDTH} ${y}" font-family="Noto Sans, sans-serif">
<rect width="100%" height="100%" fill="#fff"/>
${text(MARGIN, 34, 'Images per second at full load', { size: 20, bold: true })}
${text(MARGIN, 54, `Longer is faster; the bars of a group share a scale, the line is ${REFERENCE}. Bytes and MS-SSIM say what the speed was bought with.`, { fill: QUIET })}
${text(MARGIN, 70, caption, { size: 9, fill: QUIET })}
${drawn.join('\n')}
</svg>
`;
}

const groupHeight = (members: readonly Figure[]) => GROUP_HEAD + members.length * (BAR + GAP) + GROUP_END;

function drawGroup(members: readonly Figure[], top: number): string {
  const fastest = Math.max(...members.map(({ values }) => values?.imagesPerSecond ?? 0));
  const length = (figure: Figure) => ((figure.values?.imagesPerSecond ?? 0) / fastest) * LONGEST;
  const left = MARGIN + NAMES;
  const yardstick = members.find(({ contender, values }) => contender === REFERENCE && values);
  const first = top + GROUP_HEAD;
  const bars = members.map((figure, index) => drawBar(figure, left, first + index * (BAR + GAP), length(figure)));
  const line = yardstick
    ? `<path d="M${(left + length(yardstick)).toFixed(1)} ${first - GAP}v${members.length * (BAR + GAP) + GAP}" stroke="${INK}" stroke-dasharray="3 3"/>`
    : '';
  return [text(MARGIN, top + 22, members[0]!.title, { size: 15, bold: true }), ...bars, line].join('\n');
}

function drawBar({ contender, values, absent = '' }: Figure, left: number, y: number, length: number): string {
  const baseline = y + BAR - 5;
  const name = text(left - 10, baseline, contender, { anchor: 'end' });
  if (!values) return name + text(left, baseline, absent.split('\n', 1)[0]!.slice(0, 90), { fill: QUIET, size: 11 });
  const { imagesPerSecond, ratio, bytesOut, score } = values;
  const speed = `${imagesPerSecond.toFixed(imagesPerSecond < 10 ? 2 : 1)}/s${ratio === null ? '' : ` · ${ratio.toFixed(2)} ×`}`;
  const price = `${(bytesOut / 1000).toFixed(1)} kB${score ? ` · ${score.similarity.toFixed(4)}` : ''}`;
  return [
    name,
    `<rect x="${left}" y="${y}" width="${length.toFixed(1)}" height="${BAR}" fill="${COLORS.get(contender) ?? QUIET}"/>`,
    text(left + length + 8, baseline, speed),
    text(WIDTH - MARGIN, baseline, price, { fill: QUIET, size: 11, anchor: 'end' }),
  ].join('');
}
