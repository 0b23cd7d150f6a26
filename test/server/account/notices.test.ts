import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import sharp from 'sharp';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { timestamp } from '../../../base/timestamp.ts';
import { ONE_AI_REQUEST } from '../../../server/account/credits.ts';
import { issueKey } from '../../../server/account/keys.ts';
import { NoticeSender } from '../../../server/account/notices.ts';
import { loadConfig } from '../../../server/config.ts';
import { createLog } from '../../../server/log.ts';
import { startService } from '../../../server/service.ts';
import type { Database } from '../../../storage/ports/database.ts';
import type { Account } from '../../../storage/records/accounts.ts';
import type { Notice } from '../../../storage/records/notices.ts';
import { openDatabase } from '../../../storage/sqlite/database.ts';
import { withDatabase } from '../../support/database.ts';
import { failureOf } from '../../support/failure.ts';
import { withFolder } from '../../support/folder.ts';
import { type TestService, withService } from '../../support/service.ts';
import { verifies } from '../../support/verifies.ts';

const NOVEMBER = Date.UTC(2026, 10, 21, 5, 20);
const DECEMBER = Date.UTC(2026, 11, 2);
const MINUTE = 60_000;
const ADDRESS = 'anna@example.com';

interface Mail {
  /** Sender of the SMTP envelope. */
  from: string;
  /** Recipients of the SMTP envelope. */
  to: string[];
  /** Header values by lower-case name: unfolded, but not decoded. */
  headers: Map<string, string>;
  text: string;
}

class MailServer {
  readonly mails: Mail[] = [];
  /** Runs before the server accepts a message. An error that it throws becomes the SMTP response. */
  beforeTaking: (mail: Mail) => Promise<void> = async () => {};
  readonly #options: SMTPServerOptions;
  #server: SMTPServer | undefined;
  #port = 0;
  #arrived: () => void = () => {};

  constructor(options: SMTPServerOptions) {
    this.#options = options;
  }

  /** Starts listening, each time on the same port. */
  async open(): Promise<void> {
    this.#server = new SMTPServer({
      disabledCommands: ['STARTTLS', 'AUTH'],
      disableReverseLookup: true,
      onData: (stream, { envelope }, done) => {
        const chunks: Buffer[] = [];
        stream.on('data', (chunk: Buffer) => chunks.push(chunk));
        stream.on('end', () => {
          const from = envelope.mailFrom ? envelope.mailFrom.address : '';
          const mail = { from, to: envelope.rcptTo.map(({ address }) => address), ...parsed(Buffer.concat(chunks)) };
          this.beforeTaking(mail).then(() => {
            this.mails.push(mail);
            this.#arrived();
            done();
          }, done);
        });
      },
      ...this.#options,
    });
    // A client that disconnects early must not fail the test.
    this.#server.on('error', () => {});
    const server = this.#server.listen(this.#port, '127.0.0.1');
    await once(server, 'listening');
    this.#port = (server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (server) await new Promise<void>((resolve) => server.close(resolve));
  }

  url(credentials = ''): string {
    return `smtp://${credentials}127.0.0.1:${this.#port}`;
  }

  /** Resolves when `count` messages have arrived since the start. */
  async received(count: number): Promise<void> {
    while (this.mails.length < count)
      await new Promise<void>((resolve) => {
        this.#arrived = resolve;
      });
  }

  get subjects(): string[] {
    return this.mails.map(({ headers }) => headers.get('subject') ?? '');
  }
}

function parsed(raw: Buffer): Pick<Mail, 'headers' | 'text'> {
  const [head = '', body = ''] = raw.toString('latin1').split(/\r\n\r\n(.*)/s);
  const lines = head.replace(/\r\n[ \t]+/g, ' ').split('\r\n');
  const headers = new Map(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.replace(/^[^:]+: */, '')]),
  );
  assert.equal(headers.get('content-transfer-encoding'), 'quoted-printable');
  return { headers, text: unquoted(body.replace(/=\r\n/g, '')).replaceAll('\r\n', '\n') };
}

function unquoted(text: string): string {
  const bytes = text.replace(/=([0-9A-F]{2})/g, (_all, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString('utf8');
}

/** Decodes the encoded words of a header (RFC 2047, Q and B). */
function decodeHeader(header = ''): string {
  return header
    .replace(/\?= =\?/g, '?==?')
    .replace(/=\?UTF-8\?([QB])\?([^?]*)\?=/g, (_all, kind, word) =>
      kind === 'B' ? Buffer.from(word, 'base64').toString() : unquoted(word.replaceAll('_', ' ')),
    );
}

async function withMailServer<T>(
  work: (server: MailServer) => Promise<T>,
  options: SMTPServerOptions = {},
): Promise<T> {
  const server = new MailServer(options);
  try {
    await server.open();
    return await work(server);
  } finally {
    await server.close();
  }
}

const refusal = (responseCode: number, message: string) => Object.assign(new Error(message), { responseCode });

interface NoticeFixture {
  database: Database;
  anna: Account;
  sender: NoticeSender;
  clock: { now: number };
  /** Records a notice, by default for anna at the current time. */
  record(notice?: Partial<Notice>): Promise<void>;
  /** Anna's notices that are still to be sent. */
  pending(): Promise<Notice[]>;
  /** Anna's notices that were sent. */
  sent(): Promise<Notice[]>;
  logged(): Record<string, unknown>[];
  logText(): string;
}

/** Runs `work` with a notice sender on a database with one account, without a service. */
async function withSender<T>(smtpUrl: string | undefined, work: (setting: NoticeFixture) => Promise<T>): Promise<T> {
  return await withDatabase(async (database) => {
    const anna = await database.accounts.create({ name: 'anna', email: ADDRESS, plan: 'free' });
    const clock = { now: NOVEMBER };
    const lines: string[] = [];
    const log = createLog('info', { write: (line) => lines.push(line) });
    const config = { smtpUrl, mailFrom: 'Imagecrew <noreply@images.example.com>' };
    const sender = await NoticeSender.create({ database, config, log, now: () => clock.now });
    try {
      return await work({
        database,
        anna,
        sender,
        clock,
        record: async (notice) => {
          await database.notices.create({
            accountId: anna.id,
            month: '2026-11',
            meter: 'requests',
            threshold: 80,
            used: 800,
            limit: 1000,
            createdAt: timestamp(clock.now),
            ...notice,
          });
        },
        pending: async () => (await database.notices.due('9999')).filter(({ accountId }) => accountId === anna.id),
        sent: async () => await database.notices.sentInMonth(anna.id, '2026-11'),
        logged: () => lines.map((line) => JSON.parse(line)),
        logText: () => lines.join(''),
      });
    } finally {
      await sender.stop();
    }
  });
}

/** Creates a gate: `reached` resolves when `pass` is called, and `pass` resolves after `open` is called. */
function gate() {
  let arrive = () => {};
  let open = () => {};
  const reached = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const pass = async () => {
    arrive();
    await opened;
  };
  return { reached, open, pass };
}

async function annaOf({ services }: TestService): Promise<Account> {
  const { accounts } = services.database;
  const anna = await accounts.findByName('anna');
  await accounts.update(anna!.id, { email: ADDRESS });
  return anna!;
}

/**
 * Sends `count` sendRequests at once and waits until the notices have been attempted.
 * @returns how many were answered with 200
 */
async function sendRequests(service: TestService, count: number): Promise<number> {
  const answers = await Promise.all(
    Array.from({ length: count }, () => service.call('/api/v1/compress', { method: 'POST', body: 'an image' })),
  );
  await Promise.all(answers.map((answer) => answer.arrayBuffer()));
  await service.notices.wake();
  return answers.filter(({ status }) => status === 200).length;
}

describe('notices by email', { timeout: 120_000 }, () => {
  it('are sent once for each threshold and month, however many requests cross it together', async () => {
    verifies('limits.notice.80-percent', 'limits.notice.used-up');
    await withMailServer(async (server) => {
      const clock = { now: NOVEMBER };
      await withService(
        async (service) => {
          const { database } = service.services;
          const anna = await annaOf(service);
          const use = async (period: string, count: number) => {
            await database.meters.settle({ subject: anna.id, period }, { requests: count, ai: 0 }, false);
          };

          await use('2026-11', 788);
          assert.equal(await sendRequests(service, 11), 11);
          assert.deepEqual(server.subjects, []);
          assert.equal(await sendRequests(service, 20), 20);
          assert.deepEqual(server.subjects, ['Imagecrew: anna has used 80% of its requests for November 2026']);
          assert.deepEqual(server.mails[0]?.to, [ADDRESS]);

          await use('2026-11', 990 - 819);
          assert.equal(await sendRequests(service, 20), 10);
          assert.deepEqual(server.subjects.slice(1), [
            'Imagecrew: anna has used all of its requests for November 2026',
          ]);
          assert.equal(await sendRequests(service, 3), 0);
          assert.equal(server.mails.length, 2);

          clock.now = DECEMBER;
          await use('2026-12', 790);
          assert.equal(await sendRequests(service, 20), 20);
          assert.deepEqual(server.subjects.slice(2), [
            'Imagecrew: anna has used 80% of its requests for December 2026',
          ]);

          const ofNovember = await database.notices.sentInMonth(anna.id, '2026-11');
          assert.deepEqual(
            ofNovember.map(({ meter, threshold, channel, sentAt }) => [meter, threshold, channel, sentAt]),
            [
              ['requests', 80, 'email', timestamp(NOVEMBER)],
              ['requests', 100, 'email', timestamp(NOVEMBER)],
            ],
          );
        },
        { env: { IC_SMTP_URL: server.url(), IC_WORKERS: '1' }, now: () => clock.now },
      );
    });
  });

  it('report AI requests separately', async () => {
    await withMailServer(async (server) => {
      await withService(
        async (service) => {
          const { database, ledger, authenticate } = service.services;
          const anna = await annaOf(service);
          const caller = await authenticate(`Bearer ${service.keys.free}`);
          const charge = async () => {
            const credit = await ledger.reserve(caller, 'ocr', ONE_AI_REQUEST);
            await credit.charge({ bytesIn: 1, bytesOut: 1 });
          };
          const meter = { subject: anna.id, period: '2026-11' };
          await database.meters.settle(meter, { requests: 0, ai: 70 }, false);
          await Promise.all(Array.from({ length: 20 }, charge));
          await service.notices.wake();
          assert.deepEqual(server.subjects, ['Imagecrew: anna has used 80% of its AI requests for November 2026']);
          await Promise.allSettled(Array.from({ length: 20 }, charge));
          await service.notices.wake();
          assert.deepEqual(server.subjects.slice(1), [
            'Imagecrew: anna has used all of its AI requests for November 2026',
          ]);
          assert.match(server.mails[1]?.text ?? '', /used 100 of its 100 AI requests/);
        },
        { env: { IC_SMTP_URL: server.url() }, now: () => NOVEMBER },
      );
    });
  });

  it('are sent in order when one request crosses both thresholds', async () => {
    await withFolder(async (folder) => {
      const plans = join(folder, 'plans.json');
      await writeFile(plans, JSON.stringify({ free: { requests_per_month: 1 } }));
      await withMailServer(async (server) => {
        await withService(
          async (service) => {
            await annaOf(service);
            assert.equal(await sendRequests(service, 5), 1);
            assert.deepEqual(server.subjects, [
              'Imagecrew: anna has used 80% of its requests for November 2026',
              'Imagecrew: anna has used all of its requests for November 2026',
            ]);
          },
          { env: { IC_SMTP_URL: server.url(), IC_PLANS_FILE: plans }, now: () => NOVEMBER },
        );
      });
    });
  });

  it('are kept when a process is killed and sent by the next one, which sends its own at once', async () => {
    await withMailServer(async (server) => {
      await withFolder(async (folder) => {
        const month = new Date().toISOString().slice(0, 7);
        const database = await openDatabase(folder);
        const anna = await database.accounts.create({ name: 'anna', email: ADDRESS, plan: 'free' });
        const options = { accountId: anna.id, name: 'key', mode: 'live', scopes: [], monthlyLimit: null } as const;
        const { key } = await issueKey(database.keys, { ...options, expiresAt: null });
        const createdAt = timestamp(Date.now());
        const notice = { accountId: anna.id, month, meter: 'ai', threshold: 80, used: 80, limit: 100 } as const;
        await database.notices.create({ ...notice, createdAt });
        await database.meters.settle({ subject: anna.id, period: month }, { requests: 799, ai: 80 }, false);
        await database.close();

        const env = { IC_DATA_DIR: folder, IC_PORT: '0', IC_WORKERS: '1', IC_SMTP_URL: server.url() };
        const service = await startService(loadConfig(env), createLog('silent'));
        try {
          await server.received(1);
          assert.match(server.subjects[0] ?? '', /80% of its AI requests/);
          const image = sharp({ create: { width: 8, height: 8, channels: 3, background: '#808080' } });
          const answer = await fetch(`${service.address}/api/v1/compress`, {
            method: 'POST',
            headers: { authorization: `Bearer ${key}` },
            body: new Uint8Array(await image.png().toBuffer()),
          });
          assert.equal(answer.status, 200);
          await server.received(2);
          assert.match(server.subjects[1] ?? '', /80% of its requests/);
        } finally {
          await service.close();
        }
        const after = await openDatabase(folder);
        const sent = await after.notices.sentInMonth(anna.id, month);
        await after.close();
        assert.deepEqual(sent.map(({ meter, channel }) => `${meter} ${channel}`).sort(), [
          'ai email',
          'requests email',
        ]);
      });
    });
  });

  it('name the account and the allowance, the date it resets and what happens until then', async () => {
    await withMailServer(async (server) => {
      await withSender(server.url(), async ({ anna, record, sender }) => {
        await record({ used: 16_001, limit: 20_000, month: '2026-12' });
        await record({ meter: 'ai', threshold: 100, used: 2000, limit: 2000 });
        await sender.wake();
        const [first, second] = server.mails.sort((a, b) => b.text.length - a.text.length);
        assert.equal(
          first?.text,
          'The account anna has used 16,001 of its 20,000 requests for December 2026: 80% of them or more.\n\n' +
            'The allowance resets on 1 January 2027 at 00:00 UTC. If it is used up before, further requests are ' +
            'refused with the status 429 and the error code quota_exceeded until then.\n',
        );
        assert.equal(
          second?.text,
          'The account anna has used 2,000 of its 2,000 AI requests for November 2026: all of them.\n\n' +
            'Further AI requests are refused with the status 429 and the error code quota_exceeded until the allowance ' +
            'resets on 1 December 2026 at 00:00 UTC.\n',
        );
        assert.equal(first.from, 'noreply@images.example.com');
        const header = (name: string) => first.headers.get(name);
        assert.equal(header('from'), 'Imagecrew <noreply@images.example.com>');
        assert.equal(header('to'), ADDRESS);
        assert.equal(header('message-id'), `<notice.${anna.id}.2026-12.requests.80@images.example.com>`);
        assert.equal(header('auto-submitted'), 'auto-generated');
        assert.equal(header('content-type'), 'text/plain; charset=utf-8');
      });
    });
  });
});

describe('NoticeSender', { timeout: 120_000 }, () => {
  it('sends once when it is woken several times together', async () => {
    await withMailServer(async (server) => {
      await withSender(server.url(), async ({ record, sender }) => {
        await record();
        await Promise.all([sender.wake(), sender.wake(), sender.wake()]);
        assert.equal(server.mails.length, 1);
      });
    });
  });

  it('checks again when it is woken while it sends', async () => {
    await withMailServer(async (server) => {
      await withSender(server.url(), async ({ record, sender }) => {
        const { pass, reached, open } = gate();
        server.beforeTaking = pass;
        await record();
        const first = sender.wake();
        await reached;
        await record({ meter: 'ai' });
        const second = sender.wake();
        open();
        await Promise.all([first, second]);
        assert.equal(server.mails.length, 2);
      });
    });
  });

  it('waits on shutdown for the message being sent and leaves the rest to the next start', async () => {
    await withMailServer(async (server) => {
      await withSender(server.url(), async ({ record, sender, sent, pending }) => {
        const { pass, reached, open } = gate();
        server.beforeTaking = pass;
        await record();
        await record({ threshold: 100, used: 1000 });
        void sender.wake();
        await reached;
        const stopped = sender.stop();
        open();
        await stopped;
        await sender.wake();
        assert.equal(server.mails.length, 1);
        assert.deepEqual(
          (await sent()).map(({ threshold }) => threshold),
          [80],
        );
        assert.deepEqual(
          (await pending()).map(({ threshold }) => threshold),
          [100],
        );
      });
    });
  });

  it('tries again when the mail server is back', async () => {
    await withMailServer(async (server) => {
      await server.close();
      await withSender(server.url('anna:hunter2@'), async ({ record, sender, clock, pending, logged, logText }) => {
        await record();
        await sender.wake();
        const [notice] = await pending();
        assert.deepEqual([notice?.attempts, notice?.nextAttemptAt], [1, timestamp(NOVEMBER + MINUTE)]);
        const [line] = logged();
        assert.equal(line?.level, 40);
        assert.deepEqual([line?.code, line?.cause, line?.threshold, line?.attempt], ['ESOCKET', 'ECONNREFUSED', 80, 1]);
        assert.doesNotMatch(logText(), /hunter2|@|127\.0\.0\.1/);
        await server.open();
        clock.now += MINUTE - 1;
        await sender.wake();
        assert.equal(server.mails.length, 0);
        clock.now += 1;
        await sender.wake();
        assert.equal(server.mails.length, 1);
        assert.equal(logged().length, 1);
      });
    });
  });

  it('waits longer after each attempt, and logs the notice after a day', async () => {
    await withMailServer(async (server) => {
      await server.close();
      await withSender(server.url(), async ({ record, sender, clock, pending, sent, logged }) => {
        await record();
        const attempts: number[] = [];
        for (let next: number | undefined = clock.now; next !== undefined; ) {
          clock.now = next;
          attempts.push((clock.now - NOVEMBER) / MINUTE);
          await sender.wake();
          const [notice] = await pending();
          next = notice && Date.parse(notice.nextAttemptAt);
        }
        assert.deepEqual(attempts.slice(0, 6), [0, 1, 6, 36, 96, 156]);
        assert.deepEqual([attempts.length, attempts.at(-2), attempts.at(-1)], [28, 1416, 1440]);
        assert.deepEqual(
          (await sent()).map(({ channel, sentAt }) => [channel, sentAt]),
          [['log', timestamp(clock.now)]],
        );
        assert.equal(logged().length, 29);
        await sender.wake();
        assert.equal(logged().length, 29);
      });
    });
  });

  it('never sends a later threshold before an earlier one that is waiting', async () => {
    await withMailServer(async (server) => {
      const tried: string[] = [];
      let isBusy = true;
      server.beforeTaking = async ({ headers }) => {
        tried.push(/80%|all/.exec(headers.get('subject') ?? '')?.[0] ?? '');
        if (isBusy) throw refusal(450, `${ADDRESS} is busy`);
      };
      await withSender(server.url(), async ({ record, sender, clock, sent, pending, logged, logText }) => {
        await record();
        await sender.wake();
        assert.deepEqual([logged()[0]?.command, logged()[0]?.answer], ['DATA', 450]);
        assert.doesNotMatch(logText(), /@/);
        clock.now += 10_000;
        await record({ threshold: 100, used: 1000 });
        await sender.wake();
        assert.deepEqual(tried, ['80%', '80%']);
        const again = timestamp(clock.now + 5 * MINUTE);
        assert.deepEqual(
          (await pending()).map(({ nextAttemptAt }) => nextAttemptAt),
          [again, again],
        );
        isBusy = false;
        clock.now += 5 * MINUTE;
        await sender.wake();
        assert.deepEqual(tried.slice(2), ['80%', 'all']);
        assert.equal((await sent()).length, 2);
      });
    });
  });

  it('logs a notice at once when its recipient is rejected for good, and sends the others', async () => {
    await withMailServer(
      async (server) => {
        await withSender(server.url(), async ({ database, anna, record, sender, sent, logged, logText }) => {
          const ben = await database.accounts.create({ name: 'ben', email: 'ben@example.com', plan: 'free' });
          await record();
          await record({ accountId: ben.id });
          await sender.wake();
          assert.deepEqual(
            server.mails.map(({ to }) => to),
            [['ben@example.com']],
          );
          assert.deepEqual(
            (await sent()).map(({ channel }) => channel),
            ['log'],
          );
          const [fault, notice] = logged();
          assert.deepEqual([fault?.command, fault?.answer, fault?.account_id], ['RCPT TO', 550, anna.id]);
          assert.equal(notice?.msg, '80% of a monthly allowance is used');
          assert.doesNotMatch(logText(), /@/);
        });
      },
      {
        onRcptTo: ({ address }, _session, done) =>
          done(address === ADDRESS ? refusal(550, `No such user: ${address}`) : undefined),
      },
    );
  });

  it('tries again when the sender address is rejected', async () => {
    await withMailServer(
      async (server) => {
        await withSender(server.url(), async ({ record, sender, pending, logged }) => {
          await record();
          await sender.wake();
          assert.equal((await pending()).length, 1);
          assert.deepEqual([logged()[0]?.command, logged()[0]?.answer], ['MAIL FROM', 550]);
        });
      },
      { onMailFrom: (_address, _session, done) => done(refusal(550, 'Not allowed')) },
    );
  });

  it('sends nothing to a server with an untrusted certificate', async () => {
    const credentials: unknown[] = [];
    await withMailServer(
      async (server) => {
        await withSender(server.url('anna:hunter2@'), async ({ record, sender, pending, logged, logText }) => {
          await record();
          await sender.wake();
          assert.equal((await pending()).length, 1);
          assert.match(String(logged()[0]?.cause), /CERT/);
          assert.deepEqual([credentials, server.mails], [[], []]);
          assert.doesNotMatch(logText(), /hunter2/);
        });
      },
      {
        disabledCommands: [],
        onAuth: ({ username, password }, _session, done) => {
          credentials.push(username, password);
          done(null, { user: username });
        },
      },
    );
  });

  it('signs in with the credentials from the URL', async () => {
    const credentials: unknown[] = [];
    await withMailServer(
      async (server) => {
        await withSender(server.url('anna:p%40ss@'), async ({ record, sender, sent }) => {
          await record();
          await sender.wake();
          assert.deepEqual(credentials, ['anna', 'p@ss']);
          assert.equal((await sent())[0]?.channel, 'email');
        });
      },
      {
        disabledCommands: ['STARTTLS'],
        allowInsecureAuth: true,
        onAuth: ({ username, password }, _session, done) => {
          credentials.push(username, password);
          done(null, { user: username });
        },
      },
    );
  });

  it('logs the notice and records that if there is no mail server', async () => {
    await withSender(undefined, async ({ anna, record, sender, sent, pending, logged, logText }) => {
      await record();
      await record({ threshold: 100, used: 1000 });
      await sender.wake();
      await sender.wake();
      const wanted = { account_id: anna.id, month: '2026-11', meter: 'requests', limit: 1000 };
      assert.deepEqual(
        logged().map(({ time, ...line }) => line),
        [
          { level: 40, ...wanted, threshold: 80, used: 800, msg: '80% of a monthly allowance is used' },
          { level: 40, ...wanted, threshold: 100, used: 1000, msg: '100% of a monthly allowance is used' },
        ],
      );
      assert.deepEqual(
        (await sent()).map(({ channel, sentAt }) => [channel, sentAt]),
        [
          ['log', timestamp(NOVEMBER)],
          ['log', timestamp(NOVEMBER)],
        ],
      );
      assert.deepEqual(await pending(), []);
      assert.doesNotMatch(logText(), /@|ic_live/);
    });
  });

  it('logs the notice if the account has no address', async () => {
    await withMailServer(async (server) => {
      await withSender(server.url(), async ({ database, anna, record, sender, sent, logged }) => {
        await database.accounts.update(anna.id, { email: null });
        await record();
        await sender.wake();
        assert.deepEqual(
          (await sent()).map(({ channel }) => channel),
          ['log'],
        );
        assert.equal(logged().length, 1);
        assert.equal(server.mails.length, 0);
      });
    });
  });

  it('sends to the current address of the account, even if the account is disabled', async () => {
    await withMailServer(async (server) => {
      await server.close();
      await withSender(server.url(), async ({ database, anna, record, sender, clock }) => {
        await record();
        await sender.wake();
        await database.accounts.update(anna.id, { email: 'anna@example.org', disabled: true });
        await server.open();
        clock.now += MINUTE;
        await sender.wake();
        assert.deepEqual(
          server.mails.map(({ to }) => to),
          [['anna@example.org']],
        );
      });
    });
  });

  it('does not let an account name inject headers or recipients', async () => {
    await withMailServer(async (server) => {
      await withSender(server.url(), async ({ database, record, sender }) => {
        const name = 'Zoë\r\nBcc: eve@example.com\r\n\r\n.\r\nRCPT TO:<eve@example.com>\u2028"<eve@example.com>,';
        const zoe = await database.accounts.create({ name, email: 'zoe@example.com', plan: 'free' });
        await record({ accountId: zoe.id });
        await sender.wake();
        const [mail] = server.mails;
        assert.equal(server.mails.length, 1);
        assert.deepEqual(mail?.to, ['zoe@example.com']);
        assert.deepEqual([...mail.headers.keys()].sort(), [
          'auto-submitted',
          'content-transfer-encoding',
          'content-type',
          'date',
          'from',
          'message-id',
          'mime-version',
          'subject',
          'to',
        ]);
        const shown = 'Zoë Bcc: eve@example.com . RCPT TO:<eve@example.com> "<eve@example.com>,';
        const subject = `Imagecrew: ${shown} has used 80% of its requests for November 2026`;
        assert.equal(decodeHeader(mail.headers.get('subject')), subject);
        assert.equal(mail.text.split('\n').length, 4);
        assert.ok(mail.text.startsWith(`The account ${shown} has used 800 of its 1,000 requests`));
      });
    });
  });

  for (const email of ['anna', 'anna@example.com, eve@example.com', 'anna@example.com>\r\nRCPT TO:<eve@example.com'])
    it(`sends to no other recipient with the address ${JSON.stringify(email)}`, async () => {
      await withMailServer(async (server) => {
        await withSender(server.url(), async ({ database, anna, record, sender, sent }) => {
          await database.accounts.update(anna.id, { email });
          await record();
          await sender.wake();
          assert.ok(!server.mails.some(({ to }) => to.includes('eve@example.com')));
          assert.equal((await sent()).length, 1);
        });
      });
    });

  it('does not send again if the database could not record the sending', async () => {
    await withMailServer(async (server) => {
      await withSender(server.url(), async ({ database, record, sender, sent, logged }) => {
        database.notices.markSent = async () => {
          throw new Error('the disk is full');
        };
        await record();
        await sender.wake();
        await sender.wake();
        assert.equal(server.mails.length, 1);
        assert.deepEqual(
          logged().map(({ level, msg }) => [level, msg]),
          [
            [50, 'a notice could not be recorded'],
            [50, 'a notice could not be recorded'],
          ],
        );
        Reflect.deleteProperty(database.notices, 'markSent');
        await sender.wake();
        assert.equal(server.mails.length, 1);
        assert.deepEqual(
          (await sent()).map(({ channel }) => channel),
          ['email'],
        );
      });
    });
  });

  it('continues after the database could not be read', async () => {
    await withSender(undefined, async ({ database, record, sender, sent }) => {
      await record();
      database.notices.due = async () => {
        throw new Error('the disk is gone');
      };
      await sender.wake();
      Reflect.deleteProperty(database.notices, 'due');
      await sender.wake();
      assert.equal((await sent()).length, 1);
    });
  });

  it('rejects an invalid mail server URL without showing its password', async () => {
    const failure = await failureOf(
      'invalid_parameter',
      async () => await withSender('smtp://anna:hunter2@a%00b', async () => {}),
    );
    assert.equal(failure.message, 'Expected an address of a mail server for IC_SMTP_URL but received "***".');
    assert.equal(failure.cause, undefined);
  });
});
