import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { UpstreamError } from '../../../../base/http-request.ts';
import { HostPace, type Turn } from '../../../../server/sites/fetch/pace.ts';
import { FakeClock } from '../../../support/fake-clock.ts';

/** Runs the callbacks of all settled promises. */
const flushPromises = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Requests to one host. Records when each of them starts. */
class Requests {
  readonly clock = new FakeClock(Date.UTC(2026, 0, 1));
  readonly pace: HostPace;
  readonly #begun = this.clock.now();
  readonly starts: string[] = [];
  readonly turns = new Map<string, Turn>();
  readonly failed = new Map<string, unknown>();

  constructor(concurrency: number, delayMs: number) {
    this.pace = new HostPace(this.clock, { concurrency, delayMs });
  }

  ask(name: string, { signal = new AbortController().signal, again = false } = {}): void {
    this.pace.turn(signal, again).then(
      (turn) => {
        this.turns.set(name, turn);
        this.starts.push(`${name} ${this.clock.now() - this.#begun}`);
      },
      (error) => this.failed.set(name, error),
    );
  }

  /** Advances the clock in steps, so that each start is recorded at its time. */
  async pass(milliseconds: number, step = 50): Promise<void> {
    await flushPromises();
    for (let passed = 0; passed < milliseconds; passed += step) {
      this.clock.advance(step);
      await flushPromises();
    }
  }

  busy(name: string, waitMs = 0, givesUp = false): void {
    this.pace.busy(this.turns.get(name) as Turn, { status: 429, waitMs, givesUp });
  }

  fail(name: string): void {
    this.pace.failed(this.turns.get(name) as Turn, 'no connection within 10 seconds');
  }

  async end(name: string): Promise<void> {
    this.turns.get(name)?.end();
    await flushPromises();
  }
}

describe('the rate limit of a host', () => {
  it('limits concurrent requests, in order of arrival', async () => {
    const requests = new Requests(2, 0);
    for (const name of ['a', 'b', 'c', 'd']) requests.ask(name);
    await requests.pass(500);
    assert.deepEqual(requests.starts, ['a 0', 'b 0']);
    await requests.end('b');
    assert.deepEqual(requests.starts, ['a 0', 'b 0', 'c 500']);
    // A turn releases its slot only once.
    await requests.end('b');
    assert.equal(requests.starts.length, 3);
    await requests.end('a');
    assert.deepEqual(requests.starts.slice(3), ['d 500']);
  });

  it('keeps a delay between requests, however fast the responses are', async () => {
    const requests = new Requests(2, 200);
    for (const name of ['a', 'b', 'c']) requests.ask(name);
    await requests.pass(0);
    await requests.end('a');
    await requests.pass(300);
    assert.deepEqual(requests.starts, ['a 0', 'b 200']);
    await requests.end('b');
    await requests.pass(700);
    assert.deepEqual(requests.starts.slice(2), ['c 400']);
    // The delay has passed long ago.
    requests.ask('d');
    await requests.pass(0);
    assert.deepEqual(requests.starts.slice(3), ['d 1000']);
  });

  it('uses the larger of its own delay and the Crawl-delay, at most 10 seconds', async () => {
    for (const [own, wanted, kept] of [
      [200, 1000, 1000],
      [200, 100, 200],
      [200, 3_600_000, 10_000],
      [10_000, 20_000, 10_000],
      [0, 0, 0],
    ] as const) {
      const requests = new Requests(6, own);
      requests.ask('a');
      await flushPromises();
      requests.pace.delayAtLeast(wanted);
      requests.ask('b');
      requests.ask('c');
      await requests.pass(20_000);
      assert.deepEqual(requests.starts, ['a 0', `b ${kept}`, `c ${2 * kept}`]);
    }
  });

  it('halves the rate after a wait when the host is too busy', async () => {
    const requests = new Requests(3, 200);
    for (const name of ['a', 'b', 'c', 'd', 'e']) requests.ask(name);
    await requests.pass(100);
    requests.busy('a', 5000);
    requests.ask('a again', { again: true });
    await requests.end('a');
    await requests.pass(20_000);
    // Two requests at a time instead of three, one every 400 ms instead of every 200 ms.
    assert.deepEqual(requests.starts, ['a 0', 'a again 5100', 'b 5500']);
  });

  it('halves the rate once for all responses to one burst, and again for the next burst', async () => {
    const requests = new Requests(4, 100);
    for (const name of ['a', 'b', 'c', 'd']) requests.ask(name);
    await requests.pass(300);
    for (const name of ['a', 'b', 'c']) requests.busy(name, 1000);
    for (const name of ['a', 'b', 'c', 'd']) await requests.end(name);
    for (const name of ['e', 'f']) requests.ask(name);
    await requests.pass(2000);
    assert.deepEqual(requests.starts.slice(4), ['e 1300', 'f 1500']);
    requests.busy('f', 0);
    for (const name of ['e', 'f']) await requests.end(name);
    for (const name of ['g', 'h', 'i']) requests.ask(name);
    await requests.pass(1000);
    assert.deepEqual(requests.starts.slice(6), ['g 2300', 'h 2700']);
  });

  it('never falls below one connection, and adds a delay even if none was set', async () => {
    const requests = new Requests(1, 0);
    requests.ask('a');
    await flushPromises();
    requests.busy('a', 0);
    await requests.end('a');
    for (const name of ['b', 'c']) requests.ask(name);
    await requests.pass(0);
    await requests.end('b');
    await requests.pass(1000);
    assert.deepEqual(requests.starts, ['a 0', 'b 0', 'c 200']);
  });

  it('stops a host after two URLs in a row were given up, for waiting and for new requests', async () => {
    const requests = new Requests(1, 200);
    for (const name of ['a', 'b', 'c']) requests.ask(name);
    await flushPromises();
    requests.busy('a', 0, true);
    requests.pace.answered();
    requests.busy('a', 0, true);
    assert.equal(requests.pace.isStopped, false, 'there was an answer in between');
    requests.busy('a', 0, true);
    assert.equal(requests.pace.isStopped, true);
    requests.ask('d');
    await requests.pass(1000);
    assert.deepEqual(requests.starts, ['a 0']);
    assert.deepEqual([...requests.failed.keys()].sort(), ['b', 'c', 'd']);
    for (const error of requests.failed.values()) {
      assert.ok(error instanceof UpstreamError);
      assert.equal(error.message, 'status 429 again and again, so that its host is not asked any more');
    }
    await requests.end('a');
    assert.equal(requests.clock.waiting, 0);
  });

  it('stops a host that was too busy 30 times, even with successful responses in between', async () => {
    const requests = new Requests(1, 0);
    requests.ask('a');
    await flushPromises();
    for (let times = 1; times <= 30; times += 1) {
      assert.equal(requests.pace.isStopped, false, `${times}`);
      requests.busy('a');
      requests.pace.answered();
    }
    assert.equal(requests.pace.isStopped, true);
  });

  it('stops a host after five slow failures, not counting the wait for their turn', async () => {
    const requests = new Requests(1, 0);
    requests.ask('a');
    requests.ask('waits');
    // A request that has waited in the queue for long is not slow when it fails.
    await requests.pass(60_000, 10_000);
    for (let times = 0; times < 4; times += 1) requests.fail('a');
    await requests.end('a');
    await requests.pass(4950);
    requests.fail('waits');
    assert.equal(requests.pace.isStopped, false);
    await requests.pass(50);
    requests.pace.answered();
    for (let times = 0; times < 4; times += 1) requests.fail('waits');
    assert.equal(requests.pace.isStopped, false, 'there was an answer in between');
    requests.fail('waits');
    assert.equal(requests.pace.isStopped, true);
  });

  it('gives the slot of an aborted request to the next one', async () => {
    const requests = new Requests(1, 200);
    const controller = new AbortController();
    requests.ask('a');
    requests.ask('b', controller);
    requests.ask('c');
    await flushPromises();
    controller.abort(new RangeError('gone'));
    await requests.end('a');
    await requests.pass(1000);
    assert.deepEqual(requests.starts, ['a 0', 'c 200']);
    assert.match(String(requests.failed.get('b')), /gone/);
    requests.ask('d', controller);
    await flushPromises();
    assert.match(String(requests.failed.get('d')), /gone/);
  });

  it('leaves no timer behind when the last waiting request is aborted', async () => {
    const requests = new Requests(2, 200);
    const controller = new AbortController();
    requests.ask('a');
    requests.ask('b', controller);
    await flushPromises();
    assert.equal(requests.clock.waiting, 1);
    controller.abort();
    await flushPromises();
    assert.equal(requests.clock.waiting, 0);
  });
});
