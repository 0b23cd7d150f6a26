import type { Migration, MigrationProvider } from 'kysely';
import * as accountsKeysFiles from './0001_accounts_keys_files.ts';
import * as accounting from './0002_accounting.ts';
import * as pipelinesJobsWebhooks from './0003_pipelines_jobs_webhooks.ts';
import * as sites from './0004_sites.ts';
import * as jobTurns from './0005_job_turns.ts';
import * as keyMakers from './0006_key_makers.ts';
import * as scanLists from './0007_scan_lists.ts';
import * as scanListParts from './0008_scan_list_parts.ts';
import * as keyEnds from './0009_key_ends.ts';
import * as shownSizes from './0010_shown_sizes.ts';
import * as pipelineOutputs from './0011_pipeline_outputs.ts';
import * as deliveredImages from './0012_delivered_images.ts';

/** All migrations in order. Released migrations must not change; a change of the tables needs a new one. */
export const MIGRATIONS: Readonly<Record<string, Migration>> = {
  '0001_accounts_keys_files': accountsKeysFiles,
  '0002_accounting': accounting,
  '0003_pipelines_jobs_webhooks': pipelinesJobsWebhooks,
  '0004_sites': sites,
  '0005_job_turns': jobTurns,
  '0006_key_makers': keyMakers,
  '0007_scan_lists': scanLists,
  '0008_scan_list_parts': scanListParts,
  '0009_key_ends': keyEnds,
  '0010_shown_sizes': shownSizes,
  '0011_pipeline_outputs': pipelineOutputs,
  '0012_delivered_images': deliveredImages,
};

export const migrations: MigrationProvider = {
  getMigrations: async () => ({ ...MIGRATIONS }),
};
