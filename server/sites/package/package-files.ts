/** A file of a package: its name in the ZIP and, if it can be downloaded on its own, in the path. */

import { DOWNLOADS, MAPPING_FILE } from '../../../replacement-package/layout.ts';

export interface PackageFile {
  /** Name in the ZIP; undefined when it is not part of the ZIP. */
  packed?: string;
  /** Name in the path. */
  name: string;
  contentType: string;
  format: string;
}

const TEXT = 'text/plain; charset=utf-8';

export const PACKAGE_FILES = {
  mappingJson: { packed: MAPPING_FILE, name: DOWNLOADS.mappingJson, contentType: 'application/json', format: 'json' },
  mappingCsv: {
    packed: 'mapping.csv',
    name: DOWNLOADS.mappingCsv,
    contentType: 'text/csv; charset=utf-8',
    format: 'csv',
  },
  reportHtml: {
    packed: 'report.html',
    name: DOWNLOADS.reportHtml,
    contentType: 'text/html; charset=utf-8',
    format: 'html',
  },
  reportCsv: { name: DOWNLOADS.reportCsv, contentType: 'text/csv; charset=utf-8', format: 'csv' },
  nginx: { packed: 'rules/nginx.conf', name: DOWNLOADS.nginx, contentType: TEXT, format: 'text' },
  apache: { packed: 'rules/.htaccess', name: DOWNLOADS.apache, contentType: TEXT, format: 'text' },
  netlify: { packed: 'rules/_redirects', name: DOWNLOADS.netlify, contentType: TEXT, format: 'text' },
  zip: { name: DOWNLOADS.zip, contentType: 'application/zip', format: 'zip' },
} as const satisfies Record<keyof typeof DOWNLOADS, PackageFile>;
