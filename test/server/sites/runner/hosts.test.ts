import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Failure } from '../../../../base/failure.ts';
import { Hosts } from '../../../../server/sites/runner/hosts.ts';

const failure = new Failure('url_fetch_failed', 'Expected an answer for url but received none.');
const LONG = 10_000;

function failing(hosts: Hosts, url: string, times: number, ms = LONG): void {
  for (let time = 0; time < times; time += 1) hosts.failed(url, failure, ms);
}

describe('hosts that do not answer', () => {
  it('are given up after five long failures in a row, each for itself', () => {
    const hosts = new Hosts();
    failing(hosts, 'https://dead.example/a', 4);
    assert.equal(hosts.givenUp('https://dead.example/b'), undefined);
    failing(hosts, 'https://dead.example/c', 1);
    assert.equal(hosts.givenUp('https://dead.example/b'), failure);
    assert.equal(hosts.givenUp('https://other.example/'), undefined);
  });

  it('are asked on when they answer in between, or fail quickly', () => {
    const hosts = new Hosts();
    failing(hosts, 'https://a.example/', 4);
    hosts.answered('https://a.example/x');
    failing(hosts, 'https://a.example/', 4);
    assert.equal(hosts.givenUp('https://a.example/'), undefined);
    failing(hosts, 'https://b.example/', 50, 100);
    assert.equal(hosts.givenUp('https://b.example/'), undefined);
  });

  it('are not judged by what is no matter of theirs', () => {
    const hosts = new Hosts();
    const tooLarge = new Failure('file_too_large', 'Expected a smaller file.');
    for (let time = 0; time < 9; time += 1) hosts.failed('https://a.example/', tooLarge, LONG);
    assert.equal(hosts.givenUp('https://a.example/'), undefined);
  });
});
