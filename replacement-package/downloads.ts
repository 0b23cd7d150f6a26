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
export function downloadPath(scanId: string, name: string): string {
  return `${SCANS_PATH}/${scanId}/downloads/${name}`;
}
