/** Draws texts in Chromium with the font files of the service. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import type { TextSample } from './samples.ts';

const require = createRequire(import.meta.url);

/** The page has no network: the addresses are answered from the installed packages. */
const ORIGIN = 'http://fonts.invalid';
const LATIN_FILE = '@expo-google-fonts/noto-sans/600SemiBold/NotoSans_600SemiBold.ttf';
const MARGIN = 60;

export async function openTextPage(browser: Browser): Promise<Page> {
  const page = await browser.newPage({ viewport: { width: 1600, height: 500 } });
  await page.route(`${ORIGIN}/**`, async (route) => {
    const path = new URL(route.request().url()).pathname.slice(1);
    if (path === '') return route.fulfill({ contentType: 'text/html', body: '<!doctype html>' });
    const body = await readFile(require.resolve(decodeURIComponent(path)));
    return route.fulfill({ body, headers: { 'access-control-allow-origin': '*' } });
  });
  // Fonts are loaded only from an address that has an origin.
  await page.goto(`${ORIGIN}/`);
  return page;
}

/**
 * Draws a text on white.
 * @param fontSize in pixels
 * @returns a PNG file
 */
export async function drawInChromium(page: Page, { text, fonts, lang }: TextSample, fontSize: number): Promise<Buffer> {
  const styles = await Promise.all(fonts.map(styleOf));
  const families = ["'Latin'", ...styles.map(({ family }) => family), "'Noto Color Emoji'"].join();
  await page.setContent(`<!doctype html><html lang="${lang ?? 'und'}"><meta charset="utf-8"><style>
@font-face { font-family: 'Latin'; src: url(${ORIGIN}/${LATIN_FILE}); }
${styles.map(({ css }) => css).join('\n')}
body { margin: ${MARGIN}px; background: #fff }
span { font: 600 ${fontSize}px/2 ${families}; white-space: pre; font-synthesis: none; text-rendering: geometricPrecision }
</style><span dir="auto"></span>`);
  await page.locator('span').evaluate(async (span, content) => {
    span.textContent = content;
    // The layout starts the fonts that the text needs; until they are loaded nothing is drawn.
    span.getBoundingClientRect();
    await document.fonts.ready;
  }, text);
  return page.screenshot({ animations: 'disabled' });
}

/** The style sheet of a package with addresses that the page can load, and the name of its font. */
async function styleOf(name: string): Promise<{ css: string; family: string }> {
  const path = require.resolve(`${name}/index.css`);
  const css = (await readFile(path, 'utf8')).replaceAll('url(./files/', `url(${ORIGIN}/${name}/files/`);
  const family = /font-family: ('[^']+')/.exec(css)?.[1];
  if (family === undefined) throw new Error(`Expected a font family in ${join(dirname(path), 'index.css')}.`);
  return { css, family };
}
