/** Events that reach all processes on a database, by LISTEN and NOTIFY. */

import { type Kysely, sql } from 'kysely';
import pg from 'pg';
import { type Events, openLocalEvents } from '../../base/events.ts';
import type { Tables } from '../sql/schema.ts';

const CHANNEL = 'imagecrew_events';

/** PostgreSQL takes 8000 bytes in a notification. */
const MAX_PAYLOAD_BYTES = 7500;

const RECONNECT_MS = 1000;

/** The sender, the name of the events, and the event. */
type Message = [processId: string, name: string, event: unknown];

export class SharedEvents {
  readonly #db: Kysely<Tables>;
  readonly #url: string;
  readonly #processId: string;
  readonly #local = new Map<string, Events<unknown>>();
  /** Events that wait to be sent, as JSON. */
  #waiting: string[] = [];
  #sending: Promise<void> | undefined;
  #client: pg.Client | undefined;
  #retry: NodeJS.Timeout | undefined;
  #closed = false;

  /** @param processId gets no events of its own */
  constructor(db: Kysely<Tables>, url: string, processId: string) {
    this.#db = db;
    this.#url = url;
    this.#processId = processId;
  }

  /** Opens the events of one kind. They reach the listeners of this process at once, and those of the others soon. */
  open<E>(name: string, subjectOf: (event: E) => string): Events<E> {
    const local = openLocalEvents(name, subjectOf);
    if (this.#local.size === 0) void this.#listen();
    this.#local.set(name, local as Events<unknown>);
    return {
      closing: local.closing,
      close: () => local.close(),
      emit: (event) => {
        local.emit(event);
        this.#send(JSON.stringify([this.#processId, name, event] satisfies Message));
      },
      watch: (subject, listener) => local.watch(subject, listener),
      watchAll: (listener) => local.watchAll(listener),
    };
  }

  /** Resolves when all events have been sent. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#retry);
    await this.#sending;
    await this.#client?.end();
  }

  #send(message: string): void {
    this.#waiting.push(message);
    this.#sending ??= this.#sendWaiting().finally(() => {
      this.#sending = undefined;
    });
  }

  /** Sends what is waiting, many events at a time. While the database is away events are lost, as is what they tell. */
  async #sendWaiting(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch: string[] = [];
      for (let bytes = 0; this.#waiting.length > 0; ) {
        bytes += Buffer.byteLength(this.#waiting[0]!) + 1;
        if (batch.length > 0 && bytes > MAX_PAYLOAD_BYTES) break;
        batch.push(this.#waiting.shift()!);
      }
      await sql`select pg_notify(${CHANNEL}, ${`[${batch.join(',')}]`})`.execute(this.#db).catch(() => {});
    }
  }

  /** Listens on a connection of its own, and on another one when that is lost. */
  async #listen(): Promise<void> {
    const client = new pg.Client({
      connectionString: this.#url,
      application_name: 'imagecrew events',
      keepAlive: true,
    });
    this.#client = client;
    client.on('notification', ({ payload = '[]' }) => this.#receive(payload));
    client.on('error', () => {});
    client.on('end', () => {
      if (!this.#closed) this.#retry = setTimeout(() => void this.#listen(), RECONNECT_MS).unref();
    });
    try {
      await client.connect();
      await client.query(`listen ${CHANNEL}`);
    } catch {
      // Ends the connection, so that another one is tried.
      await client.end().catch(() => {});
    }
  }

  #receive(payload: string): void {
    for (const [sender, name, event] of JSON.parse(payload) as Message[])
      if (sender !== this.#processId) this.#local.get(name)?.emit(event);
  }
}
