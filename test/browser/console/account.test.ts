/** Usage, keys, webhooks and status of the service, on the account pages. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { withConsole } from '../../support/console.ts';
import { withFolder } from '../../support/folder.ts';
import { withServer } from '../../support/http-server.ts';
import { nightlyOnly } from '../../support/nightly.ts';
import { browserSkipReason } from '../../support/separate-browser.ts';
import { flat, png } from '../../support/test-images.ts';

/** A quota small enough to be used up in the test. */
const SMALL_PLAN = { pro: { requests_per_month: 5, ai_requests_per_month: 5 } };

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const quota = (page: Page, label: string) =>
  page.locator('.quota').filter({ has: page.getByRole('heading', { name: label, exact: true }) });

function request(address: string, key: string, path: string, body?: BodyInit): Promise<Response> {
  const type = typeof body === 'string' ? { 'Content-Type': 'application/json' } : {};
  const headers = { Authorization: `Bearer ${key}`, ...type };
  return fetch(`${address}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers,
    ...(body ? { body } : {}),
  });
}

async function makeKey(address: string, key: string, wanted: object): Promise<string> {
  const answer = await request(address, key, '/api/v1/keys', JSON.stringify(wanted));
  return ((await answer.json()) as { key: string }).key;
}

describe('the account page', { skip: browserSkipReason }, () => {
  it('shows the usage, warns when little is left, and says when nothing is left', { skip: nightlyOnly }, () =>
    withFolder(async (folder) => {
      const plans = join(folder, 'plans.json');
      await writeFile(plans, JSON.stringify(SMALL_PLAN));
      await withConsole(
        async ({ page, address, key, open, look }) => {
          const image = await png(flat(8, 8, 200, 30, 40));
          const compress = () => request(address, key, '/api/v1/compress?format=webp', new Uint8Array(image));
          await open('/account');
          const requests = quota(page, 'Requests');
          await requests.getByText('0 of 5').waitFor();
          await page.getByText('Nothing yet this month').waitFor();
          await look('account-unused');
          for (let count = 0; count < 4; count++) assert.equal((await compress()).status, 200);
          await button(page, 'Refresh').click();
          await requests.getByText('1 left').waitFor();
          assert.match((await requests.getAttribute('class')) ?? '', /warning/);
          await page.getByRole('rowheader', { name: 'compress' }).waitFor();
          assert.equal((await compress()).status, 200);
          await button(page, 'Refresh').click();
          await requests.getByText('used up').waitFor();
          assert.equal(
            await requests
              .locator('.bar > div')
              .evaluate((bar) => (bar as unknown as { style: { width: string } }).style.width),
            '100%',
          );
          assert.match((await requests.textContent())!, /Resets (in \d+ days|within a day), on \w+ 1 \(UTC\)/);
          await look('account-used');
        },
        { IC_PLANS_FILE: plans },
      );
    }),
  );

  it('creates, changes, uses and revokes keys', () =>
    withConsole(async ({ page, address, open, look }) => {
      await open('/account/keys');
      await page.getByText('in use here').waitFor();
      await button(page, 'New key').click();
      await page.getByLabel('Name').fill('web shop');
      await page.getByLabel('admin').check();
      await page.getByLabel('Limit a month').fill('0');
      await page.getByLabel('Last day').fill('2090-01-31');
      await look('account-new-key');
      // The browser checks the minimum as well. Without its validation the service's own message appears.
      await page.locator('dialog[open] form').evaluate((form) => form.setAttribute('novalidate', ''));
      await button(page, 'Make the key').click();
      await page.getByRole('alert').getByText('monthly_limit').waitFor();
      assert.equal(await page.getByLabel('Name').inputValue(), 'web shop');
      await page.getByLabel('Limit a month').fill('50');
      await button(page, 'Make the key').click();
      const shown = page.getByRole('figure', { name: 'The new key' }).locator('code');
      await shown.waitFor();
      const made = (await shown.textContent())!;
      assert.match(made, /^ic_live_\w+$/);
      await page.getByText('0 of 50 requests').waitFor();
      await page.getByText('Jan 31, 2090').waitFor();
      await look('account-made-key');

      await button(page, 'Use it here').click();
      await button(page, 'Change web shop').waitFor();
      await page.locator('.key', { hasText: 'web shop' }).getByText('in use here').waitFor();
      await button(page, 'Change web shop').click();
      await page.getByLabel('Name').fill('the web shop');
      await page.getByLabel('sites').uncheck();
      await button(page, 'Save').click();
      const row = page.locator('.key', { hasText: 'the web shop' });
      await row.waitFor();
      assert.deepEqual(await row.locator('.scopes .tag').allTextContents(), ['ai', 'admin']);

      await button(page, 'Revoke first key').click();
      await page.getByText('is refused from its next request on').waitFor();
      assert.equal(await page.getByText('This browser uses this key').count(), 0);
      await page.locator('dialog[open]').getByRole('button', { name: 'Revoke first key' }).press('Enter');
      await page.locator('.key', { hasText: 'first key' }).getByText('revoked', { exact: true }).waitFor();
      assert.equal(await page.evaluate('document.activeElement.textContent'), 'Keys');
      await look('account-revoked-key');

      await button(page, 'Revoke the web shop').click();
      await page.getByText('This browser uses this key').waitFor();
      await look('account-revoke-own');
      await page.locator('dialog[open]').getByRole('button', { name: 'Revoke the web shop' }).click();
      await page.getByLabel('Paste your key').waitFor();
      assert.equal((await request(address, made, '/api/v1/usage')).status, 401);
    }));

  it('says what to do with a test key or a key without the scope', { skip: nightlyOnly }, () =>
    withConsole(async ({ page, address, account, key, open, look }) => {
      const plain = await makeKey(address, key, { name: 'plain', scopes: [] });
      const test = await makeKey(address, key, { name: 'trial', mode: 'test', scopes: ['ai'] });
      await page.goto(`${address}/#key=${plain}`);
      await open('/account/keys');
      await page.getByText('with the scope admin only').waitFor();
      await page.getByText(`imagecrew admin key create --account '${account}' --scopes ai,sites,admin`).waitFor();
      await look('account-without-scope');
      await open('/account/webhooks');
      await page.getByText('The secret can be seen with the scope admin only').waitFor();

      await page.goto('about:blank');
      await page.goto(`${address}/#key=${test}`);
      await open('/account');
      await quota(page, 'Test requests today').getByText('0 of 50').waitFor();
      await look('account-test-key');
      await open('/account/keys');
      await page.getByText('cannot be seen with a test key').waitFor();

      await page.goto('about:blank');
      await page.goto(`${address}/#key=ic_live_unknown`);
      await open('/account');
      await page.getByText('invalid_key').waitFor();
      await look('account-unknown-key');
    }),
  );

  it('shows and changes the webhook secret, tests a receiver, and lists deliveries', { skip: nightlyOnly }, () => {
    const received: string[] = [];
    let status = 200;
    return withServer(
      (req, res) => {
        received.push(String(req.headers['webhook-signature']));
        req.resume().on('end', () => res.writeHead(status).end());
      },
      ({ origin }) =>
        withConsole(
          async ({ page, address, key, open, look }) => {
            await open('/account/webhooks');
            await page.getByText('No job of the last hour has a webhook').waitFor();
            assert.equal(await page.getByText('whsec_').count(), 0);
            const secret = page.getByRole('figure', { name: 'The secret of the webhooks' }).locator('code');
            await button(page, 'Show it').click();
            const first = (await secret.textContent())!;
            assert.match(first, /^whsec_/);
            await button(page, 'Change it …').click();
            await page.getByText('For 24 hours webhooks are signed with both').waitFor();
            await look('account-rotate');
            await button(page, 'Make a new secret').click();
            await page.getByText('are signed with the one before it too').waitFor();
            // Fields behind an open dialog cannot be filled in.
            await page.getByRole('dialog').waitFor({ state: 'hidden' });
            assert.notEqual(await secret.textContent(), first);

            const address1 = page.getByLabel('Address');
            await address1.fill('http://127.0.0.1:1/hook?x');
            await button(page, 'Send a test').click();
            await page.getByText('Not delivered').waitFor();
            await address1.fill(`${origin}/hook`);
            await button(page, 'Send a test').click();
            await page.getByText('Status 200').waitFor();
            // Both secrets are valid, so there are two signatures.
            assert.equal(received.at(-1)!.split(' ').length, 2);
            await address1.fill('http://10.1.2.3/hook');
            await button(page, 'Send a test').click();
            await page.getByText('IC_ALLOW_PRIVATE_ADDRESSES').waitFor();
            await look('account-webhooks');

            status = 410;
            const form = new FormData();
            const image = await png(flat(8, 8, 20, 130, 40));
            form.append('image', new Blob([new Uint8Array(image)]), 'one.png');
            form.append('preset', 'web');
            form.append('webhook_url', `${origin}/hook`);
            assert.equal((await request(address, key, '/api/v1/jobs', form)).status, 202);
            await open('/account');
            await page.getByRole('tab', { name: 'Webhooks' }).click();
            await page.getByText('stopped', { exact: true }).waitFor();
            await page.getByText('Attempts').click();
            await page.getByText('status 410').waitFor();
            await look('account-deliveries');
            status = 200;
            await page.getByRole('button', { name: /^Send again/ }).click();
            await page.getByText('delivered', { exact: true }).waitFor();
            await page.locator('.attempts').getByText('status 200').waitFor();
            assert.equal(await page.locator('.attempts li').count(), 2);
          },
          { IC_ALLOW_PRIVATE_ADDRESSES: '127.0.0.0/8', IC_ALLOW_HTTP_WEBHOOKS: 'true' },
        ),
    );
  });

  it('shows the state of the service, what it lacks, and its formats', { skip: nightlyOnly }, () =>
    withConsole(async ({ page, open, look }) => {
      await open('/account');
      await page.getByRole('tab', { name: 'Usage' }).focus();
      await page.keyboard.press('End');
      await page.getByText('imagecrew models pull').waitFor();
      assert.match(page.url(), /#\/account\/service$/);
      await page.getByText('the service cannot find subjects or find faces').waitFor();
      await page.getByRole('rowheader', { name: 'WebP' }).waitFor();
      await look('account-service');
      await page.getByLabel('Find a format').fill('.heic');
      await page.getByText(/^1 of \d+ formats$/).waitFor();
    }),
  );
});
