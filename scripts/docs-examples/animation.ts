/** A moon that goes around a planet, frame by frame. */
const FRAMES = 24;

export const FRAME_MS = 80;

export function frames(): string[] {
  return Array.from({ length: FRAMES }, (_, index) => frame((2 * Math.PI * index) / FRAMES));
}

function frame(angle: number): string {
  const moon = `<circle cx="${(200 + 150 * Math.cos(angle)).toFixed(1)}" cy="${(120 + 42 * Math.sin(angle)).toFixed(1)}" r="${(15 + 4 * Math.sin(angle)).toFixed(1)}" fill="#f2ead3"/>`;
  const planet =
    '<circle cx="200" cy="120" r="68" fill="#e2895a"/><path d="M140,90 q60,26 120,-4 v22 q-60,28 -124,4 Z M136,138 q64,24 128,0 l-8,20 q-56,18 -112,0 Z" fill="#f3b27c"/><path d="M200,52 a68,68 0 0 1 0,136 a100,100 0 0 0 0,-136 Z" fill="#8b3f34" opacity=".55"/>';
  const stars = Array.from(
    { length: 40 },
    (_, index) =>
      `<rect x="${(index * 137) % 400}" y="${(index * 89) % 240}" width="2" height="2" fill="#aab4e8" opacity="${0.3 + (index % 5) / 8}"/>`,
  ).join('');
  const isBehind = Math.sin(angle) < 0;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="400" height="240" viewBox="0 0 400 240"><rect width="400" height="240" fill="#141a3a"/>${stars}${isBehind ? moon + planet : planet + moon}</svg>`;
}
