import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseRobots } from '../../../server/sites/fetch/robots.ts';
import { siteUserAgent } from '../../../server/sites/user-agent.ts';
import { withService } from '../../support/service.ts';

describe('the bot page', () => {
  it('is at the URL that the User-Agent header names', () => {
    assert.equal(siteUserAgent('https://images.example.com'), 'ImagecrewBot/1.0 (+https://images.example.com/bot)');
  });

  it('is public, and its example robots.txt blocks only the bot', async () => {
    await withService(async ({ origin }) => {
      const address = /\+(.+)\)/.exec(siteUserAgent(origin))?.[1] ?? '';
      const response = await fetch(address);
      assert.equal(response.status, 200);
      assert.equal(response.headers.get('content-type'), 'text/html; charset=utf-8');
      assert.match(response.headers.get('content-security-policy') ?? '', /default-src 'none'/);
      const lines = /<pre>([^<]*)<\/pre>/.exec(await response.text())?.[1] ?? '';
      assert.equal(parseRobots(lines, 'ImagecrewBot').allows('/a'), false);
      assert.equal(parseRobots(lines, 'OtherBot').allows('/a'), true);
    });
  });
});
