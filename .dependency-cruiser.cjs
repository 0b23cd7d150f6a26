/** The arrows of the house (README, "The map"): server -> engine -> codecs, models; server -> storage; base and client are leaves; plugins -> base. */
const only = (name, from, to) => ({
  name,
  severity: 'error',
  comment: `${from} may import only ${to.join(', ')}`,
  from: { path: `^${from}/` },
  to: {
    path: '^(base|client|engine|codecs|models|plugins|storage|server|bench|test|scripts)/',
    pathNot: `^(${to.join('|')})/`,
  },
});

module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    only('base-is-a-leaf', 'base', ['base']),
    only('client-is-a-leaf', 'client', ['client']),
    only('plugins', 'plugins', ['plugins', 'base']),
    only('codecs', 'codecs', ['codecs', 'base']),
    only('models', 'models', ['models', 'base']),
    only('engine', 'engine', ['engine', 'codecs', 'models', 'base']),
    only('storage', 'storage', ['storage', 'base']),
    only('server', 'server', ['server', 'client', 'engine', 'codecs', 'models', 'storage', 'base']),
    {
      name: 'what-runs-in-browsers',
      severity: 'error',
      comment: 'The console is a program of its own, which knows the service by its interface',
      from: { path: '^server/console/app/' },
      to: {
        path: '^(base|engine|codecs|models|plugins|storage|server|bench|test|scripts)/',
        pathNot: '^server/console/(app/|(declaration-types|request-code)[.]ts$)',
      },
    },
    {
      name: 'client-is-for-others',
      severity: 'error',
      from: { path: '^server/', pathNot: '^server/console/app/' },
      to: { path: '^client/' },
    },
    {
      name: 'no-unlisted-packages',
      severity: 'error',
      // The development loaders of threads are the only files that may use a development package.
      from: {
        path: '^(base|client|engine|codecs|models|plugins|storage|server)/',
        // What the console is made of is bundled.
        pathNot: '-development[.]mjs$|^server/console/app/',
      },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown', 'unknown'], dependencyTypesNot: ['type-only'] },
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
