/** Shows what the adjustments of compress do, at several strengths side by side. */
import sharp from 'sharp';
import type { ShownImage } from './images.ts';
import type { Service } from './run.ts';

export const ADJUSTMENTS = ['sharpen', 'blur', 'denoise', 'contrast'] as const;
/** The file in `docs/examples/sources/` on which they are shown. */
export const ADJUSTED_SOURCE = 'scene.png';
const STRENGTHS = [0, 25, 50, 75, 100] as const;
const GAP = 4;

export const stripName = (adjustment: string): string => `adjust-${adjustment}.webp`;

/** Sends the source through the service at every strength, and joins the results. */
export async function adjustmentStrip(adjustment: string, source: Buffer, service: Service): Promise<ShownImage> {
  const results: Buffer[] = [];
  for (const strength of STRENGTHS) results.push(await adjust(`${adjustment}=${strength}`, source, service));
  const { width, height } = await sharp(source).metadata();
  const strip = sharp({
    create: { width: STRENGTHS.length * (width + GAP) - GAP, height, channels: 4, background: '#00000000' },
  }).composite(results.map((input, index) => ({ input, left: index * (width + GAP), top: 0 })));
  const { data, info } = await strip.webp({ quality: 80, effort: 6 }).toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height };
}

async function adjust(query: string, source: Buffer, { address, key }: Service): Promise<Buffer> {
  const answer = await fetch(`${address}/api/v1/compress?format=png&mode=lossless&${query}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}` },
    body: new Uint8Array(source),
  });
  if (!answer.ok) throw new Error(await answer.text());
  return Buffer.from(await answer.arrayBuffer());
}
