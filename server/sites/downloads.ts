/** Files of a package that can be downloaded one by one: their names in the path. */
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
