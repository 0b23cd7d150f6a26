/**
 * Shows a component of the console on a separate page in Chromium, under the Content-Security-Policy of the console.
 */
import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import type { Page } from 'playwright-core';
import { setPageHeaders } from '../../server/http/page-headers.ts';
import { withBrowser } from './browser.ts';
import { checkPage, collectProblems } from './console.ts';
import { withServer } from './http-server.ts';
import { repositoryFile } from './repository.ts';

export interface ComponentPage {
  page: Page;
  /** As in {@link withConsole}. */
  look(name: string): Promise<void>;
}

/**
 * Runs `work` with a page that shows the component `Page`. Asserts that nothing was logged to the browser's console
 * and that no request has left the page's server.
 * @param source of a module with a function `Page`, in TypeScript with JSX; its imports are relative to
 *   `console`
 * @param files that the page can fetch, by their paths (`/photo.jpg`)
 */
export async function withComponent(
  source: string,
  work: (session: ComponentPage) => Promise<void>,
  files: Readonly<Record<string, Uint8Array>> = {},
): Promise<void> {
  const answers = new Map(Object.entries({ ...files, ...(await bundle(source)) }));
  await withServer(
    (request, response) => {
      const path = request.url!;
      const body = answers.get(path);
      setPageHeaders({ set: (name: string, value: string) => response.setHeader(name, value) } as never);
      response.setHeader('content-type', TYPES[path.slice(path.lastIndexOf('.') + 1)] ?? 'application/octet-stream');
      response.writeHead(body ? 200 : 404).end(body);
    },
    ({ origin }) =>
      withBrowser(async ({ page }) => {
        const complaints = collectProblems(page, origin);
        await page.goto(`${origin}/index.html`);
        await work({ page, look: (name) => checkPage(page, name) });
        assert.deepEqual(complaints, []);
      }),
  );
}

/**
 * Waits until an expression is true in the page. `page.waitForFunction` evaluates in the page, which the page's
 * policy forbids.
 * @throws Error if it is not true within 20 s
 */
export async function waitUntil(page: Page, condition: string): Promise<void> {
  await page.evaluate(`new Promise((resolve, reject) => {
    const end = performance.now() + 20_000;
    const look = () => {
      if (${condition}) resolve();
      else if (performance.now() > end) reject(new Error('not true in time'));
      else requestAnimationFrame(look);
    };
    look();
  })`);
}

const TYPES: Readonly<Record<string, string>> = { html: 'text/html', js: 'text/javascript', css: 'text/css' };

const HTML =
  '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Component</title><link rel="stylesheet" href="/page.css"><script type="module" src="/page.js"></script></head><body><main><h1>Component</h1><div id="app"></div></main></body></html>';

async function bundle(source: string): Promise<Record<string, Uint8Array>> {
  const { outputFiles } = await build({
    stdin: {
      contents: `import './styles/base.css';
import './styles/controls.css';
import { render } from 'preact';
${source}
render(<Page />, document.getElementById('app')!);`,
      loader: 'tsx',
      resolveDir: fileURLToPath(repositoryFile('console')),
    },
    bundle: true,
    write: false,
    outfile: '/page.js',
    format: 'esm',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    logLevel: 'warning',
  });
  const files = Object.fromEntries(outputFiles.map(({ path, contents }) => [path, contents]));
  return { ...files, '/index.html': Buffer.from(HTML) };
}

/** Returns the text of the `output` element of the component. */
export const outputText = (page: Page): Promise<string | null> => page.locator('output').textContent();

/** Waits until the `output` element has this text, because a change may be drawn a moment later. */
export const waitForOutput = (page: Page, text: string): Promise<void> =>
  page
    .locator('output')
    .and(page.getByText(text, { exact: true }))
    .waitFor();
