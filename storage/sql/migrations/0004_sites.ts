import { type Kysely, sql } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('site_projects')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('account_id', 'text', (column) => column.notNull().references('accounts.id'))
    .addColumn('domain', 'text', (column) => column.notNull())
    .addColumn('name', 'text')
    .addColumn('created_at', 'text', (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex('site_projects_domain')
    .unique()
    .on('site_projects')
    .columns(['account_id', 'domain'])
    .execute();

  await db.schema
    .createTable('site_scans')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('account_id', 'text', (column) => column.notNull().references('accounts.id'))
    .addColumn('key_id', 'text', (column) => column.notNull().references('keys.id'))
    .addColumn('project_id', 'text', (column) => column.references('site_projects.id').onDelete('cascade'))
    .addColumn('name', 'text')
    .addColumn('domain', 'text', (column) => column.notNull())
    .addColumn('source', 'text', (column) => column.notNull())
    .addColumn('url', 'text')
    .addColumn('list', 'text')
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('stopped_in', 'text')
    .addColumn('review', 'integer', (column) => column.notNull())
    .addColumn('optimize', 'text', (column) => column.notNull())
    .addColumn('package_id', 'text', (column) => column.references('packages.id'))
    .addColumn('package', 'text')
    .addColumn('settings', 'text', (column) => column.notNull())
    .addColumn('max_pages', 'integer')
    .addColumn('pages_allowed', 'integer', (column) => column.notNull())
    .addColumn('assets_allowed', 'integer', (column) => column.notNull())
    .addColumn('bytes_allowed', 'integer', (column) => column.notNull())
    .addColumn('bytes_fetched', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('origin', 'text')
    .addColumn('progress_done', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('progress_total', 'integer')
    .addColumn('progress_url', 'text')
    .addColumn('phase_started_at', 'text')
    .addColumn('attempts', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('totals', 'text')
    .addColumn('warnings', 'text', (column) => column.notNull().defaultTo('[]'))
    .addColumn('changes', 'text')
    .addColumn('previous_scan_id', 'text')
    .addColumn('requests_charged', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('package_pages_charged', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('error_code', 'text')
    .addColumn('error_message', 'text')
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('started_at', 'text')
    .addColumn('finished_at', 'text')
    .addColumn('expires_at', 'text')
    .addColumn('released_at', 'text')
    .addColumn('deleted_at', 'text')
    .execute();
  await db.schema.createIndex('site_scans_account_id').on('site_scans').columns(['account_id', 'id']).execute();
  await db.schema.createIndex('site_scans_project_id').on('site_scans').columns(['project_id', 'id']).execute();
  // Contains only the few scans that are running or queued.
  await db.schema
    .createIndex('site_scans_running')
    .on('site_scans')
    .columns(['account_id', 'id'])
    .where(
      sql.ref('status'),
      'in',
      ['queued', 'discovering', 'scanning', 'optimizing', 'packaging'].map((status) => sql.lit(status)),
    )
    .execute();

  // Finds scans whose files have expired, and scans whose data has to be removed.
  await db.schema
    .createIndex('site_scans_kept')
    .on('site_scans')
    .column('expires_at')
    .where(sql.ref('released_at'), 'is', null)
    .execute();
  await db.schema
    .createIndex('site_scans_deleted')
    .on('site_scans')
    .column('deleted_at')
    .where(sql.ref('deleted_at'), 'is not', null)
    .execute();

  await db.schema
    .createTable('site_pages')
    .addColumn('scan_id', 'text', (column) => column.notNull().references('site_scans.id').onDelete('cascade'))
    .addColumn('seq', 'integer', (column) => column.notNull())
    .addColumn('url', 'text', (column) => column.notNull())
    .addColumn('final_url', 'text')
    .addColumn('canonical_url', 'text')
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('skip_reason', 'text')
    .addColumn('selected', 'integer', (column) => column.notNull())
    .addColumn('over_limit', 'integer', (column) => column.notNull())
    .addColumn('http_status', 'integer')
    .addColumn('title', 'text')
    .addColumn('depth', 'integer', (column) => column.notNull())
    .addColumn('found_by', 'text', (column) => column.notNull())
    .addColumn('html_bytes', 'integer')
    .addColumn('etag', 'text')
    .addColumn('last_modified', 'text')
    .addColumn('is_read', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('needs_javascript', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('names', 'blob')
    .addColumn('is_charged', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('assets', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('references', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('image_requests', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('image_bytes', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('bytes_saved', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('heaviest_asset_seq', 'integer')
    .addColumn('issues', 'text', (column) => column.notNull().defaultTo('{}'))
    .addColumn('attention', 'text', (column) => column.notNull().defaultTo('[]'))
    .addColumn('optimization', 'text', (column) => column.notNull().defaultTo('none'))
    .addColumn('error_code', 'text')
    .addColumn('error_message', 'text')
    .addColumn('fetched_at', 'text')
    .addPrimaryKeyConstraint('site_pages_primary_key', ['scan_id', 'seq'])
    .execute();
  await db.schema.createIndex('site_pages_url').unique().on('site_pages').columns(['scan_id', 'url']).execute();
  await db.schema
    .createIndex('site_pages_status')
    .on('site_pages')
    .columns(['scan_id', 'status', 'depth', 'seq'])
    .execute();
  // Finds the first page over the limit, which takes a place that becomes free.
  await db.schema
    .createIndex('site_pages_over_limit')
    .on('site_pages')
    .columns(['scan_id', 'depth', 'seq'])
    .where(sql.ref('over_limit'), '=', sql.lit(1))
    .execute();

  await db.schema
    .createTable('site_sources')
    .addColumn('scan_id', 'text', (column) => column.notNull().references('site_scans.id').onDelete('cascade'))
    .addColumn('seq', 'integer', (column) => column.notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('url', 'text', (column) => column.notNull())
    .addColumn('page_seq', 'integer')
    .addColumn('status', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('site_sources_primary_key', ['scan_id', 'seq'])
    .execute();
  await db.schema.createIndex('site_sources_url').unique().on('site_sources').columns(['scan_id', 'url']).execute();
  await db.schema.createIndex('site_sources_page').on('site_sources').columns(['scan_id', 'page_seq']).execute();

  await db.schema
    .createTable('site_source_links')
    .addColumn('scan_id', 'text', (column) => column.notNull().references('site_scans.id').onDelete('cascade'))
    .addColumn('from_seq', 'integer', (column) => column.notNull())
    .addColumn('to_seq', 'integer', (column) => column.notNull())
    .addPrimaryKeyConstraint('site_source_links_primary_key', ['scan_id', 'from_seq', 'to_seq'])
    .execute();
  await db.schema
    .createIndex('site_source_links_to')
    .on('site_source_links')
    .columns(['scan_id', 'to_seq', 'from_seq'])
    .execute();

  await db.schema
    .createTable('site_references')
    .addColumn('scan_id', 'text', (column) => column.notNull().references('site_scans.id').onDelete('cascade'))
    .addColumn('seq', 'integer', (column) => column.notNull())
    .addColumn('source_seq', 'integer', (column) => column.notNull())
    .addColumn('page_seq', 'integer')
    .addColumn('asset_seq', 'integer', (column) => column.notNull())
    .addColumn('role', 'text', (column) => column.notNull())
    .addColumn('tag', 'text')
    .addColumn('attribute', 'text')
    .addColumn('raw', 'text', (column) => column.notNull())
    .addColumn('descriptor', 'text')
    .addColumn('media', 'text')
    .addColumn('sizes', 'text')
    .addColumn('type', 'text')
    .addColumn('alt', 'text')
    .addColumn('loading', 'text')
    .addColumn('declared_width', 'integer')
    .addColumn('declared_height', 'integer')
    .addColumn('displayed_width', 'integer')
    .addColumn('displayed_height', 'integer')
    .addColumn('displayed_source', 'text', (column) => column.notNull())
    .addColumn('line', 'integer', (column) => column.notNull())
    .addColumn('column', 'integer', (column) => column.notNull())
    .addColumn('in_noscript', 'integer', (column) => column.notNull())
    .addColumn('image_number', 'integer')
    .addColumn('lacks_dimensions', 'integer', (column) => column.notNull())
    .addColumn('lacks_alt', 'integer', (column) => column.notNull())
    .addColumn('lazy', 'integer', (column) => column.notNull())
    .addColumn('preloaded', 'integer', (column) => column.notNull())
    .addColumn('candidates', 'integer', (column) => column.notNull())
    .addColumn('needed', 'text')
    .addPrimaryKeyConstraint('site_references_primary_key', ['scan_id', 'seq'])
    .execute();
  await db.schema
    .createIndex('site_references_source')
    .on('site_references')
    .columns(['scan_id', 'source_seq'])
    .execute();
  await db.schema
    .createIndex('site_references_asset')
    .on('site_references')
    .columns(['scan_id', 'asset_seq', 'seq'])
    .execute();
  await db.schema
    .createIndex('site_references_page')
    .on('site_references')
    .columns(['scan_id', 'page_seq'])
    .where('page_seq', 'is not', null)
    .execute();

  await db.schema
    .createTable('site_assets')
    .addColumn('scan_id', 'text', (column) => column.notNull().references('site_scans.id').onDelete('cascade'))
    .addColumn('seq', 'integer', (column) => column.notNull())
    .addColumn('url', 'text', (column) => column.notNull())
    .addColumn('final_url', 'text')
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('skip_reason', 'text')
    .addColumn('approval', 'text', (column) => column.notNull())
    .addColumn('mapped', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('wanted', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('format', 'text')
    .addColumn('content_type', 'text')
    .addColumn('bytes', 'integer')
    .addColumn('width', 'integer')
    .addColumn('height', 'integer')
    .addColumn('frames', 'integer')
    .addColumn('animated', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('has_alpha', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('external', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('sha256', 'text')
    .addColumn('fingerprint', 'text')
    .addColumn('http_status', 'integer')
    .addColumn('redirects', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('cache_control', 'text')
    .addColumn('etag', 'text')
    .addColumn('last_modified', 'text')
    .addColumn('content_encoding', 'text')
    .addColumn('negotiated', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('facts', 'text')
    .addColumn('duplicate_of', 'integer')
    .addColumn('pages', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('references', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('roles', 'text', (column) => column.notNull().defaultTo('[]'))
    .addColumn('displayed_width', 'integer')
    .addColumn('displayed_height', 'integer')
    .addColumn('displayed_source', 'text')
    .addColumn('bytes_saved', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('saved_percent', 'real', (column) => column.notNull().defaultTo(0))
    .addColumn('chosen', 'text')
    .addColumn('conversion', 'text')
    .addColumn('error_code', 'text')
    .addColumn('error_message', 'text')
    .addPrimaryKeyConstraint('site_assets_primary_key', ['scan_id', 'seq'])
    .execute();
  await db.schema.createIndex('site_assets_url').unique().on('site_assets').columns(['scan_id', 'url']).execute();
  // Finds addresses that are equal on case-insensitive systems.
  await db.schema
    .createIndex('site_assets_lower_url')
    .on('site_assets')
    .column('scan_id')
    .expression(sql`lower(url)`)
    .execute();
  await db.schema.createIndex('site_assets_status').on('site_assets').columns(['scan_id', 'status', 'seq']).execute();
  await db.schema.createIndex('site_assets_sha256').on('site_assets').columns(['scan_id', 'sha256']).execute();

  await db.schema
    .createTable('site_outputs')
    .addColumn('scan_id', 'text', (column) => column.notNull().references('site_scans.id').onDelete('cascade'))
    .addColumn('asset_seq', 'integer', (column) => column.notNull())
    .addColumn('id', 'text', (column) => column.notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('filename', 'text', (column) => column.notNull())
    .addColumn('format', 'text', (column) => column.notNull())
    .addColumn('bytes', 'integer', (column) => column.notNull())
    .addColumn('width', 'integer', (column) => column.notNull())
    .addColumn('height', 'integer', (column) => column.notNull())
    .addColumn('quality', 'integer')
    .addColumn('similarity', 'real')
    .addColumn('sha256', 'text', (column) => column.notNull())
    .addColumn('file_id', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('site_outputs_primary_key', ['scan_id', 'asset_seq', 'id'])
    .execute();

  await db.schema
    .createTable('site_findings')
    .addColumn('scan_id', 'text', (column) => column.notNull().references('site_scans.id').onDelete('cascade'))
    .addColumn('asset_seq', 'integer', (column) => column.notNull())
    .addColumn('code', 'text', (column) => column.notNull())
    .addColumn('severity', 'text', (column) => column.notNull())
    .addColumn('message', 'text', (column) => column.notNull())
    .addColumn('savings_bytes', 'integer')
    .addColumn('references', 'text', (column) => column.notNull().defaultTo('[]'))
    .addColumn('data', 'text', (column) => column.notNull().defaultTo('{}'))
    .addPrimaryKeyConstraint('site_findings_primary_key', ['scan_id', 'asset_seq', 'code'])
    .execute();
  await db.schema.createIndex('site_findings_code').on('site_findings').columns(['scan_id', 'code']).execute();

  await db.schema
    .createTable('site_downloads')
    .addColumn('scan_id', 'text', (column) => column.notNull().references('site_scans.id').onDelete('cascade'))
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('content_type', 'text', (column) => column.notNull())
    .addColumn('file_id', 'text', (column) => column.notNull())
    .addColumn('bytes', 'integer', (column) => column.notNull())
    .addColumn('sha256', 'text', (column) => column.notNull())
    .addColumn('built_at', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('site_downloads_primary_key', ['scan_id', 'name'])
    .execute();
}
