/**
 * The arrows between the top-level folders (README, "The map"): cli -> server -> engine -> codecs, models; server -> storage;
 * codemod -> web-documents, chromium, mcp; server, codemod -> replacement-package; base and client are leaves.
 */
const FOLDERS =
  'base|client|engine|library|codecs|models|plugins|replacement-package|storage|server|chromium|cli|codemod|console|mcp|web-documents';
const BUNDLED_PACKAGES = require('./scripts/bundled-packages.json');

const only = (name, from, to) => ({
  name,
  severity: 'error',
  comment: `${from} may import only ${to.join(', ')}`,
  from: { path: `^${from}/` },
  to: {
    path: `^(${FOLDERS}|bench|test|scripts)/`,
    pathNot: `^(${to.join('|')})/`,
  },
});

/**
 * The parts of the service, each with the other parts that it may import. `http` is the lowest. The files of server/
 * itself compose the parts, which import none of them but the settings, the log and the version.
 */
const SERVER_PARTS = {
  http: [],
  account: ['http'],
  results: ['http'],
  files: ['http', 'results'],
  images: ['http', 'account', 'results'],
  pipelines: ['http', 'account', 'results', 'images'],
  'image-delivery': ['http', 'account', 'files', 'images', 'pipelines'],
  webhooks: ['http', 'account'],
  jobs: ['http', 'account', 'results', 'files', 'pipelines', 'webhooks'],
  sites: ['http', 'account', 'results', 'files'],
  console: ['http', 'images', 'sites'],
  docs: ['http', 'account', 'console', 'image-delivery'],
  mcp: ['http', 'account', 'results', 'images', 'sites'],
  health: ['http', 'account'],
  models: [],
};
const serverPart = ([part, others]) => ({
  name: `server-${part}`,
  severity: 'error',
  comment: `server/${part} may import only ${['itself', ...others].join(', ')}`,
  from: { path: `^server/${part}/` },
  to: {
    path: '^server/',
    pathNot: [
      `^server/(${[part, ...others].join('|')})/`,
      ...(part === 'http' ? [] : ['^server/(config|log|version)[.]ts$']),
    ],
  },
});

module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'no-cycles-of-types',
      severity: 'error',
      comment:
        'Only the identifiers of formats may be such: they follow from the definitions, whose code names formats',
      from: {},
      to: { circular: true, viaOnly: { pathNot: '^codecs/formats/registry[.]ts$' } },
    },
    {
      name: 'formats-know-no-other-format',
      severity: 'error',
      comment: 'What several formats need is shared, outside of their folders',
      from: { path: '^codecs/formats/([^/]+)/' },
      to: { path: '^codecs/formats/[^/]+/', pathNot: '^codecs/formats/$1/' },
    },
    {
      name: 'formats-are-used-through-their-registry',
      severity: 'error',
      comment: 'Ask a trait of the definition, or load the codec (codecs/README.md)',
      from: { pathNot: '^codecs/formats/([^/]+/|registry[.]ts$)' },
      to: { path: '^codecs/formats/[^/]+/' },
    },
    only('base-is-a-leaf', 'base', ['base']),
    only('client-is-a-leaf', 'client', ['client']),
    only('plugins', 'plugins', ['plugins', 'base']),
    only('codecs', 'codecs', ['codecs', 'base']),
    only('models', 'models', ['models', 'base']),
    only('web-documents', 'web-documents', ['web-documents', 'codecs', 'base']),
    only('chromium', 'chromium', ['chromium', 'base']),
    only('mcp', 'mcp', ['mcp', 'base']),
    only('replacement-package', 'replacement-package', ['replacement-package', 'base']),
    only('engine', 'engine', ['engine', 'codecs', 'models', 'web-documents', 'base']),
    only('library', 'library', ['library', 'engine', 'codecs', 'client', 'base']),
    only('storage', 'storage', ['storage', 'base']),
    {
      name: 'storage-ports',
      severity: 'error',
      comment: 'The service knows records and ports. Only the files that put it together choose an implementation',
      from: {
        path: '^(server|cli|codemod|mcp)/',
        pathNot: '^server/services[.]ts$|^cli/(database|doctor)[.]ts$',
      },
      to: { path: '^storage/((sql|sqlite|postgres|local-files|s3|data-folder)/|open-database[.]ts$)' },
    },
    {
      name: 'storage-ports-have-no-engine',
      severity: 'error',
      comment: 'A second database implements the same ports and records',
      from: { path: '^storage/(ports|records|[^/]+[.]ts$)', pathNot: '^storage/open-database[.]ts$' },
      to: {
        path: '^storage/(sql|sqlite|postgres|local-files|s3|data-folder)/|/kysely/|/pg/|/better-sqlite3/|/aws4fetch/',
      },
    },
    {
      name: 'storage-engines-are-apart',
      severity: 'error',
      from: { path: '^storage/(sqlite|postgres|local-files|s3)/' },
      to: { path: '^storage/(sqlite|postgres|local-files|s3)/', pathNot: '^storage/$1/' },
    },
    {
      name: 'storage-sql-is-portable',
      severity: 'error',
      comment: 'The repositories work on every SQL database; what differs is in the syntax that each one declares',
      from: { path: '^storage/sql/' },
      to: { path: '^storage/(sqlite|postgres|local-files|s3|data-folder|backup)/|/pg/|/better-sqlite3/' },
    },
    only('codemod', 'codemod', [
      'codemod',
      'codecs',
      'web-documents',
      'replacement-package',
      'chromium',
      'mcp',
      'base',
    ]),
    only('server', 'server', [
      'server',
      'engine',
      'codecs',
      'models',
      'storage',
      'web-documents',
      'replacement-package',
      'chromium',
      'mcp',
      'base',
    ]),
    ...Object.entries(SERVER_PARTS).map(serverPart),
    {
      name: 'server-parts-are-listed',
      severity: 'error',
      comment: 'A new folder of server/ has to say which parts it may import',
      from: { path: '^server/[^/]+/', pathNot: `^server/(${Object.keys(SERVER_PARTS).join('|')})/` },
      to: {},
    },
    only('cli', 'cli', [
      'cli',
      'client',
      'server',
      'codemod',
      'engine',
      'codecs',
      'models',
      'storage',
      'replacement-package',
      'chromium',
      'mcp',
      'base',
    ]),
    {
      name: 'what-runs-in-browsers',
      severity: 'error',
      comment: 'The console is a program of its own, which knows the service by its interface',
      from: { path: '^console/' },
      to: {
        path: `^(${FOLDERS}|bench|test|scripts)/`,
        pathNot: '^(client|console)/|^server/console/(declaration-types|request-code)[.]ts$',
      },
    },
    {
      name: 'no-unlisted-packages',
      severity: 'error',
      // The development loaders of threads are the only files that may use a development package.
      from: {
        path: `^(${FOLDERS})/`,
        // What the console is made of is bundled.
        pathNot: '-development[.]mjs$|^console/',
      },
      to: {
        dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown', 'unknown'],
        // Peers are optional: the code that loads them does without.
        dependencyTypesNot: ['type-only', 'npm-peer'],
        // The build puts these into the product.
        pathNot: `node_modules/(${BUNDLED_PACKAGES.join('|')})/`,
      },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^server/console/built/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'] },
  },
};
