/** The version of a replacement package and the names of its parts. */

/** Within one version, fields are only added. */
export const CONTRACT_VERSION = 1;
/** The replacement map. */
export const MAPPING_FILE = 'mapping.json';
/** Folder of the package that contains the new files. */
export const FILES_FOLDER = 'files';

export const SCANS_PATH = '/api/v1/sites/scans';

/** File names, as used in the path, of the package files that can be downloaded one by one. */
export const DOWNLOADS = {
  zip: 'package.zip',
  mappingJson: 'mapping.json',
  mappingCsv: 'mapping.csv',
  reportHtml: 'report.html',
  reportCsv: 'report.csv',
  nginx: 'nginx.conf',
  apache: 'htaccess.txt',
  netlify: 'redirects.txt',
} as const;

/** Path of a file of a package in the service. */
export const downloadPath = (scanId: string, name: string): string => `${SCANS_PATH}/${scanId}/downloads/${name}`;
