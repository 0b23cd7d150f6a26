/** Opens SQLite databases with the driver that this installation has. */
import { channel } from 'node:diagnostics_channel';
import { Failure } from '../failure.ts';
import { openWith as openWithBetterSqlite, requireBetterSqlite } from './better-sqlite3.ts';
import type { OpenSqlite } from './connection.ts';
import { findNodeSqlite, openWith as openWithNode } from './node-sqlite.ts';

/** Each connection that is opened, for diagnostics (node:diagnostics_channel). */
export const CONNECTIONS = channel('imagecrew.sqlite.connection');

interface Driver {
  /** What contains SQLite. */
  name: string;
  open: OpenSqlite;
}

let loaded: Driver | undefined;

/** @throws Failure `internal_error` */
function loadDriver(): Driver {
  const node = findNodeSqlite();
  if (node) return { name: `Node ${process.versions.node}`, open: openWithNode(node) };
  try {
    const open = openWithBetterSqlite(requireBetterSqlite());
    // The package loads its native part with the first database.
    open(':memory:').close();
    return { name: 'better-sqlite3', open };
  } catch (cause) {
    throw new Failure(
      'internal_error',
      `Expected Node 22.13 or newer, which contains SQLite, or the package better-sqlite3 but received Node ${process.versions.node} without it. Use Node 22.13 or newer, or run npm install better-sqlite3 beside imagecrew, which may need a compiler and Python.`,
      { cause },
    );
  }
}

/** Names what contains the SQLite that is used. @throws Failure `internal_error` */
export function sqliteSource(): string {
  loaded ??= loadDriver();
  return loaded.name;
}

/**
 * Opens a database. Creates the file if it does not exist.
 * @throws Failure `internal_error` without a driver, and errors of SQLite, whose `code` is the name of the result code
 */
export const openSqlite: OpenSqlite = (path, options) => {
  loaded ??= loadDriver();
  const connection = loaded.open(path, options);
  CONNECTIONS.publish(connection);
  return connection;
};
