/**
 * A backup is a tar archive. Its first entry describes it, so that a wrong one is refused before the rest is read; its
 * last one lists the SHA-256 of every other entry, as `sha256sum --check` reads it. In between are the database, the
 * files of the stores, and the small files of the data folder.
 */
import { z } from 'zod';
import { DATABASE, SMALL_FILES, STORES } from '../data-folder/entries.ts';

export const DESCRIPTION_ENTRY = 'backup.json';
export const SUMS_ENTRY = 'SHA256SUMS';

/** The version of this layout. */
export const BACKUP_FORMAT = 1;

export const backupDescription = z.object({
  format: z.literal(BACKUP_FORMAT),
  /** Of the program that made the backup. */
  version: z.string(),
  /** The last migration of its database. */
  schema: z.string(),
  created_at: z.iso.datetime(),
});

export type BackupDescription = z.output<typeof backupDescription>;

const STORED_FILE = new RegExp(`^(${STORES.join('|')})/[A-Za-z0-9_]{1,64}$`);

/** Whether data of this name belong in a data folder. No other name is written there. */
export const isDataEntry = (name: string): boolean =>
  name === DATABASE || (SMALL_FILES as readonly string[]).includes(name) || STORED_FILE.test(name);

export const sumLine = (sha256: string, name: string): string => `${sha256}  ${name}\n`;
