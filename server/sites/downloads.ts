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
