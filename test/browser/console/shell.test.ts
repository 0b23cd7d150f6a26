/** The shell of the console: key, pages, colour scheme, storage in the browser. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { withConsole } from '../../support/console.ts';
import { nightlyOnly } from '../../support/nightly.ts';
import { browserSkipReason } from '../../support/separate-browser.ts';

const PAGES = ['Try', 'Pipelines', 'Jobs', 'Websites', 'Delivery', 'Account'];

describe('the console', { skip: browserSkipReason }, () => {
  it('asks for a key or takes it from the URL, stores it in the browser, and deletes it', () =>
    withConsole(async ({ page, address, key, look }) => {
      await page.goto(address);
      await page.getByLabel('Paste your key').fill('not a key');
      await page.getByRole('button', { name: 'Use it' }).click();
      await page.getByText('A key begins with').waitFor();
      await look('key');
      await page.getByLabel('Paste your key').fill(key);
      await page.getByRole('button', { name: 'Use it' }).click();
      const bar = page.getByRole('button', { name: key.slice(-4) });
      await bar.waitFor();
      await page.reload();
      await bar.click();
      await look('key-known');
      await page.getByRole('button', { name: 'Forget it' }).click();
      await page.getByLabel('Paste your key').waitFor();
      assert.equal(await page.evaluate('JSON.stringify(localStorage)'), '{}');
      await page.goto(`${address}/#key=${key}`);
      await page.getByRole('button', { name: key.slice(-4) }).waitFor();
      assert.equal(page.url(), `${address}/`);
    }));

  it('asks for another key if its own is not accepted', { skip: nightlyOnly }, () =>
    withConsole(async ({ page, address, key, look }) => {
      await page.goto(`${address}/#key=ic_live_unknown`);
      for (const name of ['Account', 'Websites', 'Jobs']) {
        await page.getByRole('navigation').getByRole('link', { name, exact: true }).click();
        // The previous page shows the same message, so wait for the heading of this one.
        await page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
        await page.getByText('does not accept the key of this browser').waitFor();
      }
      await look('key-refused');
      // Follows a link with a key while the console is already open.
      await page.goto(`${address}/#key=${key}`);
      await page.getByText('does not accept').waitFor({ state: 'detached' });
      assert.equal(page.url(), `${address}/`);
    }),
  );

  it('works if the browser has no storage', () =>
    withConsole(async ({ page, address, key }) => {
      await page.addInitScript(() => {
        for (const area of ['localStorage', 'sessionStorage'])
          Object.defineProperty(window, area, {
            get: () => {
              throw new DOMException('blocked', 'SecurityError');
            },
          });
      });
      await page.goto(`${address}/#key=${key}`);
      await page.getByRole('button', { name: key.slice(-4) }).waitFor();
      await page.getByLabel('Colours').selectOption('dark');
      await page.getByRole('navigation').getByRole('link', { name: 'Pipelines' }).click();
      await page.getByRole('button', { name: 'New pipeline' }).waitFor();
    }));

  it('has a page for each link, reachable by keyboard alone', { skip: nightlyOnly }, () =>
    withConsole(async ({ page, open }) => {
      await open('/try');
      for (const name of PAGES) {
        const link = page.getByRole('navigation').getByRole('link', { name, exact: true });
        await link.focus();
        await page.keyboard.press('Enter');
        await page.locator('nav a[aria-current=page]', { hasText: name }).waitFor();
        await page.locator('main h1').waitFor();
        assert.match(await page.title(), new RegExp(`^${name}`));
      }
      await page.goto(`${new URL(page.url()).origin}/#/nowhere`);
      await page.getByText('There is no such page').waitFor();
    }),
  );

  it('applies the chosen colours, also on the next visit', { skip: nightlyOnly }, () =>
    withConsole(async ({ page, open }) => {
      await open('/try');
      const ground = () => page.evaluate('getComputedStyle(document.body).backgroundColor');
      const light = await ground();
      await page.getByLabel('Colours').selectOption('dark');
      const dark = await ground();
      assert.notEqual(dark, light);
      await page.reload();
      await page.locator('main h1').waitFor();
      assert.equal(await ground(), dark);
    }),
  );
});
