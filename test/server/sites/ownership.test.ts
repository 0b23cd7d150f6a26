import assert from 'node:assert/strict';
import type { RequestListener } from 'node:http';
import { describe, it } from 'node:test';
import { withServer } from '../../support/http-server.ts';
import { refusalOf, SCANS, withDesk } from './desk.ts';

const UNPROVED = [400, 'url_not_allowed', 'settings.respect_robots'];

describe('respect_robots=false', { timeout: 60_000 }, () => {
  it('needs a file of the website that names the account', async () => {
    let proof = '';
    let elsewhere = '';
    const website: RequestListener = ({ url }, response) => {
      if (url !== '/.well-known/imagecrew-site.txt') response.writeHead(404).end();
      else if (elsewhere) response.writeHead(302, { location: elsewhere }).end();
      else response.writeHead(proof ? 200 : 404).end(proof);
    };
    const other: RequestListener = (_request, response) => response.end(proof);
    await withServer(website, ({ origin }) =>
      withServer(other, (stranger) =>
        withDesk(
          async (desk) => {
            const settings = { respect_robots: false };
            const create = () => desk.create({ url: `${origin}/start`, settings });
            assert.deepEqual(refusalOf(await create()), UNPROVED);
            const { id } = (await desk.service.services.database.accounts.findByName('ben'))!;
            proof = `x${id}`;
            assert.deepEqual(refusalOf(await create()), UNPROVED);
            proof = `of another\r\n${id}\r\n`;
            const { status, body } = await create();
            assert.deepEqual([status, body.settings.respect_robots], [201, false]);

            elsewhere = stranger.origin;
            assert.deepEqual(refusalOf(await create()), UNPROVED, 'what another website says is no proof');
            const plain = await desk.create({ url: origin });
            await desk.become(plain.body.id, 'failed', { stoppedIn: 'scanning', origin });
            const patch = () => desk.send('PATCH', `${SCANS}/${plain.body.id}`, { action: 'retry', settings });
            assert.deepEqual(refusalOf(await patch()), UNPROVED);
            elsewhere = '';
            const retried = await patch();
            assert.deepEqual([retried.status, retried.body.settings.respect_robots], [200, false]);
          },
          { env: { IC_ALLOW_PRIVATE_ADDRESSES: '127.0.0.0/8' } },
        ),
      ),
    );
  });
});
