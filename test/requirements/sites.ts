import { chapter } from './requirement.ts';

export const sites = chapter('Website optimizer', {
  'sites.optimize.start': 'POST /api/v1/sites/optimize answers 202 with id and status.',
  'sites.optimize.url': 'url is required.',
  'sites.optimize.quality': 'quality is an integer from 1 to 100; default 80.',
  'sites.optimize.max-pages': 'max_pages is an integer of at least 1.',
  'sites.optimize.get': 'GET /api/v1/sites/optimize/{id} answers with the status.',
  'sites.optimize.report': 'The finished report holds zip_url and replacements.',
  'sites.tiers': 'GET /api/v1/sites/tiers tells what each tier covers.',
  'sites.tiers.plan': "GET /api/v1/sites/tiers tells the caller's plan and the websites held.",
  'sites.tiers.credits': 'GET /api/v1/sites/tiers lists scan packages with pages left, credits[].pages_left.',
  'sites.tiers.scan-pages': 'scan_pages is what the next scan can take.',
  'sites.converts-to-webp': 'The website optimizer converts images to WebP.',

  'sites.scans.create': 'POST /api/v1/sites/scans answers 201 with the scan.',
  'sites.scans.list': "GET /api/v1/sites/scans lists the account's website projects with their scans.",
  'sites.scans.get': 'GET /api/v1/sites/scans/{id} answers with status, progress, totals and downloads.',
  'sites.scans.delete': 'DELETE /api/v1/sites/scans/{id} deletes the scan, its results and its files.',

  'sites.pages.list': 'GET /api/v1/sites/scans/{id}/pages answers with the page inventory.',
  'sites.pages.filters':
    'The page inventory takes status, over_limit, q, attention, optimization, min_savings, sort, offset and limit.',
  'sites.pages.get': 'GET /api/v1/sites/scans/{id}/pages/{seq} answers with one page and every asset it uses.',
  'sites.assets.list': 'GET /api/v1/sites/scans/{id}/assets answers with the asset inventory.',
  'sites.assets.filters':
    'The asset inventory takes kind, status, issue, page, q, min_savings, mapped, sort, offset and limit.',
  'sites.assets.get':
    'GET /api/v1/sites/scans/{id}/assets/{seq} answers with one asset, the pages that use it and its line of the replacement map.',
  'sites.assets.approval': 'PATCH /api/v1/sites/scans/{id}/assets/{seq} sets approval to approved, rejected or auto.',
  'sites.assets.file.optimized':
    "GET /api/v1/sites/scans/{id}/assets/{seq}/file answers with the asset's optimized file.",
  'sites.assets.file.variant': 'The asset file endpoint can answer with a variant.',
  'sites.assets.file.candidate': 'The asset file endpoint can answer with a replacement candidate.',
  'sites.assets.file.original': 'The asset file endpoint can pass the original through.',
});

export const siteScanCreate = chapter('Website scan create body', {
  'sites.scans.create.source': 'source is url, sitemap or list; default url.',
  'sites.scans.create.source.url': 'With source url, url is the site address.',
  'sites.scans.create.source.sitemap': 'With source sitemap, url is the sitemap address.',
  'sites.scans.create.source.list': 'With source list, urls holds one address per line.',
  'sites.scans.create.urls.size': 'urls is at most 5 MB.',
  'sites.scans.create.website-limit': 'One more website than the plan covers is refused with upgrade_required.',
  'sites.scans.create.project': 'project_id scans again inside an existing project.',
  'sites.scans.create.project.domain': "With project_id the address must be on that project's domain.",
  'sites.scans.create.project.joined': "Without project_id the scan joins the account's project of the same domain.",
  'sites.scans.create.name': 'name names the scan.',
  'sites.scans.create.package': 'package is site_1k, site_3k, site_10k or site_50k and draws on a bought scan package.',
  'sites.scans.create.package.shared': 'A scan package is a pool of pages shared by any scans of any websites.',
  'sites.scans.create.package.covers': 'A scan with a package covers at most the pages the package has left.',
  'sites.scans.create.package.charged': 'A package is charged the pages that the scan analyses.',
  'sites.scans.create.package.not-counted': "A package scan is not counted among the plan's websites.",
  'sites.scans.create.max-pages': 'max_pages is an integer of at least 1.',
  'sites.scans.create.review': 'review=true stops after discovery so that the page list can be looked at first.',
  'sites.scans.create.optimize': 'optimize is auto or manual; default auto.',
  'sites.scans.create.settings': 'settings holds the settings of the scan.',
});

export const siteScanUpdate = chapter('Website scan update body', {
  'sites.scans.update.action': 'action is required: select, start, cancel, retry, optimize or package.',
  'sites.scans.update.select': 'select ticks or unticks pages.',
  'sites.scans.update.start': 'start scans the selected pages.',
  'sites.scans.update.cancel': 'cancel stops the scan.',
  'sites.scans.update.retry': 'retry takes up a scan again.',
  'sites.scans.update.optimize': 'optimize converts the assets.',
  'sites.scans.update.package': 'package is an action of a scan.',
  'sites.scans.update.patterns': 'include and exclude are page selection patterns.',
  'sites.scans.update.pages': 'pages are the page numbers to tick or untick (select, start) or to optimize.',
  'sites.scans.update.assets': 'assets are the asset numbers to optimize.',
  'sites.scans.update.selected': 'selected ticks (true) or unticks (false).',
  'sites.scans.update.settings': 'settings changes the settings of the scan.',
});
