/** A page of text that looks like a scanned letter. */
const LINES: readonly [y: number, size: number, text: string][] = [
  [120, 44, 'The lake in the evening'],
  [205, 26, 'When the wind drops, the water turns into a mirror.'],
  [245, 26, 'Two mountains stand on their heads in it, and between'],
  [285, 26, 'them the sun goes down a second time, upwards.'],
  [350, 26, 'The boat house is open from 8:30 to 19:00.'],
  [390, 26, 'A rowing boat costs 12 euros an hour; children under'],
  [430, 26, 'six go free. Please bring the oars back.'],
];

export function page(): string {
  const lines = LINES.map(
    ([y, size, text]) =>
      `<text x="90" y="${y}" font-family="Noto Sans" font-size="${size}" fill="#23262b"${size > 30 ? ' font-weight="700"' : ''}>${text}</text>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" width="900" height="520" viewBox="0 0 900 520"><defs><linearGradient id="paper" x1="0" y1="0" x2="1" y2="1"><stop offset="0" stop-color="#fdfbf4"/><stop offset="1" stop-color="#e9e2d0"/></linearGradient></defs><rect width="900" height="520" fill="url(#paper)"/>${lines.join('')}</svg>`;
}
