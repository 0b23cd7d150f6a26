/** The arrows of the house (README, "The map"): server -> engine -> codecs, models; server -> storage; base is a leaf. */
const only = (name, from, to) => ({
  name,
  severity: 'error',
  comment: `${from} may import only ${to.join(', ')}`,
  from: { path: `^${from}/` },
  to: { path: '^(base|engine|codecs|models|storage|server|bench|test|scripts)/', pathNot: `^(${to.join('|')})/` },
});

module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    only('base-is-a-leaf', 'base', ['base']),
    only('codecs', 'codecs', ['codecs', 'base']),
    only('models', 'models', ['models', 'base']),
    only('engine', 'engine', ['engine', 'codecs', 'models', 'base']),
    only('storage', 'storage', ['storage', 'base']),
    only('server', 'server', ['server', 'engine', 'codecs', 'models', 'storage', 'base']),
    {
      name: 'no-unlisted-packages',
      severity: 'error',
      // The development loader of the workers is the one file that may use a development package.
      from: { path: '^(base|engine|codecs|models|storage|server)/', pathNot: 'engine/worker-development[.]mjs$' },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown', 'unknown'], dependencyTypesNot: ['type-only'] },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'] },
  },
};
