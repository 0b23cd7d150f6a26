import assert from 'node:assert/strict';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { ChromiumUnavailable, findChromium, openChromium } from '../../chromium/chromium.ts';
import { withFolder } from '../support/folder.ts';
import { browserSkipReason } from '../support/separate-browser.ts';

async function program(folder: string, name: string, text = '#!/bin/sh\nexit 3\n'): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, text);
  await chmod(path, 0o755);
  return path;
}

describe('the installed Chromium', () => {
  it('is the one of IC_CHROMIUM, or the first in PATH', async () => {
    await withFolder(async (folder) => {
      const chrome = await program(folder, 'google-chrome');
      assert.equal(findChromium({ PATH: `/nowhere:${folder}` }), chrome);
      const chromium = await program(folder, 'chromium');
      assert.equal(findChromium({ PATH: folder }), chromium);
      assert.equal(findChromium({ PATH: folder, IC_CHROMIUM: chrome }), chrome);
      assert.equal(findChromium({ PATH: folder, IC_CHROMIUM: join(folder, 'none') }), undefined);
      assert.equal(findChromium({}), undefined);
    });
  });

  it('is reported if it is missing, has a wrong path or does not start', async () => {
    await withFolder(async (folder) => {
      const reason = async (env: Record<string, string>) => {
        const opened = await openChromium(env);
        assert.ok(opened instanceof ChromiumUnavailable);
        return opened.reason;
      };
      assert.match(await reason({ PATH: folder }), /^Chromium was not found: install it/);
      assert.match(
        await reason({ IC_CHROMIUM: join(folder, 'none') }),
        /^IC_CHROMIUM names .*none, which cannot be run\.$/,
      );
      assert.match(await reason({ IC_CHROMIUM: await program(folder, 'x') }), /x did not start: /);
    });
  });

  it('starts without every feature that Playwright disables, and without some more', async () => {
    await withFolder(async (folder) => {
      const list = join(folder, 'arguments');
      await openChromium({ IC_CHROMIUM: await program(folder, 'x', `#!/bin/sh\necho "$@" > ${list}\nexit 3\n`) });
      const [first, last, ...more] = [...(await readFile(list, 'utf8')).matchAll(/--disable-features=(\S+)/g)];
      assert.deepEqual(more, []);
      const disabled = last![1]!.split(',');
      assert.deepEqual(
        first![1]!.split(',').filter((feature) => !disabled.includes(feature)),
        [],
      );
      assert.ok(disabled.includes('WebUIOmniboxPopup'));
    });
  });

  it('renders a page', { skip: browserSkipReason }, async () => {
    const browser = await openChromium(process.env);
    assert.ok(!(browser instanceof ChromiumUnavailable));
    try {
      const page = await browser.newPage();
      await page.setContent('<p style="width: 120px">text</p>');
      assert.equal((await page.locator('p').boundingBox())!.width, 120);
    } finally {
      await browser.close();
    }
  });
});
