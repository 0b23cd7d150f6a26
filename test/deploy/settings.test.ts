/** Checks that the Dockerfile, the compose file and the systemd unit name only things that exist. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { describe, it } from 'node:test';
import { parse } from 'yaml';
import { loadConfig, SETTINGS } from '../../server/config.ts';
import { ClientAddresses } from '../../server/http/client-address.ts';
import { withFolder } from '../support/folder.ts';
import { findProgram, skipWithout } from '../support/tool.ts';

const read = (path: string) => readFileSync(path, 'utf8');
const KNOWN = new Set(Object.values(SETTINGS).map(({ env }) => env));
const GRACE_SECONDS = 30;

function settingsIn(text: string): string[] {
  return [...new Set(text.match(/\bIC_[A-Z0-9_]+/g))];
}

describe('deployment files', () => {
  for (const path of [
    'Dockerfile',
    'compose.yaml',
    'deploy/imagecrew.service',
    'docs/guides/operating.md',
    'docs/guides/reverse-proxy.md',
    'docs/guides/s3.md',
  ])
    it(`${path} names only existing settings`, () => {
      const names = settingsIn(read(path));
      assert.ok(names.length > 0);
      assert.deepEqual(
        names.filter((name) => !KNOWN.has(name)),
        [],
      );
    });

  it('the container image has the files of the package, and the build context allows only files that exist', () => {
    const dockerfile = read('Dockerfile');
    assert.match(dockerfile, /^COPY --from=build [/]package [.][/]$/m);
    const { files } = JSON.parse(read('package.json')) as { files: string[] };
    const admitted = read('.dockerignore').match(/(?<=^!).+$/gm)!;
    for (const path of files.filter((one) => one !== 'dist').map((one) => one.replace('/*.md', ''))) {
      assert.ok(existsSync(path), path);
      assert.ok(admitted.includes(path.split('/')[0]!), path);
    }
    const { include } = JSON.parse(read('tsconfig.json')) as { include: string[] };
    const built = include.filter((folder) => folder !== 'test' && folder !== 'bench');
    assert.ok(built.length > 10);
    assert.deepEqual(
      built.filter((folder) => !admitted.includes(folder)),
      [],
    );
  });

  it('the container runs without root, on a read-only file system, and stops in time', () => {
    const dockerfile = read('Dockerfile');
    assert.match(dockerfile, /^USER node$/m);
    assert.match(dockerfile, /^STOPSIGNAL SIGTERM$/m);
    assert.match(dockerfile, /^HEALTHCHECK /m);
    const { services } = parse(read('compose.yaml')) as { services: { imagecrew: Record<string, unknown> } };
    const { read_only, cap_drop, stop_grace_period, ports } = services.imagecrew;
    assert.deepEqual({ read_only, cap_drop }, { read_only: true, cap_drop: ['ALL'] });
    assert.ok(parseInt(String(stop_grace_period), 10) > GRACE_SECONDS);
    // The port is open only on the local machine.
    assert.deepEqual(ports, ['127.0.0.1:8080:8080']);
  });

  it('the container trusts only a proxy on its own machine, at the gateway of its network', () => {
    const { services, networks } = parse(read('compose.yaml')) as {
      services: { imagecrew: { environment: { IC_TRUSTED_PROXIES: string } } };
      networks: { default: { ipam: { config: { subnet: string }[] } } };
    };
    // Compose expands variables only after it has parsed the file, so read their defaults here.
    const defaultOf = (text: string) => /^\$\{\w+:-(.+)\}$/.exec(text)![1]!;
    const trusted = defaultOf(services.imagecrew.environment.IC_TRUSTED_PROXIES);
    const { trustedProxies } = loadConfig({ IC_TRUSTED_PROXIES: trusted });
    assert.deepEqual(
      trustedProxies,
      networks.default.ipam.config.map(({ subnet }) => defaultOf(subnet)),
    );
    const addresses = new ClientAddresses(trustedProxies);
    const gateway = trusted.replace(/\.0\/\d+$/, '.1');
    assert.deepEqual([addresses.isProxy(gateway), addresses.isProxy('172.17.0.1')], [true, false]);
  });

  it('every deployment starts the service as imagecrew serve, which has its memory settings by itself', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: { start: string } };
    assert.match(scripts.start, /&& exec node bin\/imagecrew[.]mjs serve$/);
    assert.match(read('Dockerfile'), /^ENTRYPOINT \["imagecrew"\]\nCMD \["serve"\]$/m);
    assert.match(read('deploy/imagecrew.service'), /^ExecStart=\/opt\/imagecrew\/bin\/imagecrew[.]mjs serve$/m);
    // A parent passes SIGTERM on: the service must not get it twice.
    assert.match(read('deploy/imagecrew.service'), /^KillMode=mixed$/m);
    for (const path of ['package.json', 'Dockerfile', 'compose.yaml', 'deploy/imagecrew.service'])
      assert.doesNotMatch(read(path), /MALLOC_|--max-semi-space-size/, path);
  });

  it(
    'the unit is valid for systemd, and allows more time to stop than requests have',
    {
      skip: skipWithout('systemd-analyze'),
    },
    () =>
      withFolder(async (folder) => {
        const unit = read('deploy/imagecrew.service');
        assert.ok(Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)![1]) > GRACE_SECONDS);
        assert.doesNotMatch(unit, /^MemoryDenyWriteExecute=/m);
        const path = join(folder, 'imagecrew.service');
        // The program has another path on this machine.
        await writeFile(path, unit.replace('/opt/imagecrew/bin/imagecrew.mjs', resolve('bin/imagecrew.mjs')));
        const said = execFileSync(findProgram('systemd-analyze')!, ['verify', '--man=no', path], {
          encoding: 'utf8',
          stdio: 'pipe',
        });
        assert.equal(said, '');
      }),
  );
});
