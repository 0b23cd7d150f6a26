/** Renders SVG with the font that ships with the project, so that text looks the same on every machine. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { initWasm, Resvg } from '@resvg/resvg-wasm';
import sharp from 'sharp';

const require = createRequire(import.meta.url);
const WASM = '@resvg/resvg-wasm/index_bg.wasm';
const FONT_FAMILY = 'Noto Sans';
const FONTS = ['400Regular/NotoSans_400Regular.ttf', '600SemiBold/NotoSans_600SemiBold.ttf'].map(
  (file) => `@expo-google-fonts/noto-sans/${file}`,
);

let started: Promise<void> | undefined;

/** Escapes text for an element or an attribute. */
export function escapeXml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.codePointAt(0)};`);
}

/** Renders to PNG, at `scale` times the size of the SVG. */
export async function renderSvg(svg: string, scale = 1): Promise<Buffer> {
  started ??= initWasm(readFile(require.resolve(WASM)));
  await started;
  const fontBuffers = await Promise.all(FONTS.map((file) => readFile(require.resolve(file))));
  using drawing = disposable(
    new Resvg(svg, {
      font: { fontBuffers, defaultFontFamily: FONT_FAMILY, loadSystemFonts: false },
      fitTo: { mode: 'zoom', value: scale },
    }),
  );
  using rendered = disposable(drawing.value.render());
  const { pixels, width, height } = rendered.value;
  // resvg's own PNG is barely compressed.
  return sharp(pixels, { raw: { width, height, channels: 4 } })
    .png()
    .toBuffer();
}

const disposable = <T extends { free(): void }>(value: T) => ({ value, [Symbol.dispose]: () => value.free() });
