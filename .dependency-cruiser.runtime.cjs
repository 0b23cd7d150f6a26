/** What is loaded where. Types load nothing, so unlike the arrows of the house these rules look at what TypeScript leaves. */
const { options } = require('./.dependency-cruiser.cjs');

const ENGINES =
  'node_modules/(@imagemagick|@hyzyla|@cornerstonejs|exifreader|onnxruntime-web|tesseract[.]js|harfbuzzjs)/';

module.exports = {
  forbidden: [
    {
      name: 'main-thread-loads-no-wasm',
      severity: 'error',
      comment: 'WebAssembly codecs and models belong to the worker side; the main thread must stay free of them',
      from: {
        path: '^(server|cli|codemod|mcp)/|^engine/(pools?|task|task-requirements)[.]ts$|params[.]ts$|^codecs/formats/(registry|format|[^/]+/definition)[.]ts$|^codecs/(sniff|dimensions|modules)[.]ts$|^models/(catalogue|download.*|errors|installed|inventory)[.]ts$',
      },
      to: {
        // The core of tesseract.js is found with require.resolve, which nobody follows: hence the files that load it.
        path: 'node_modules/(wasm-vips|@jsquash|@imagemagick|@resvg|onnxruntime-web|tesseract[.]js)|^models/(runtime|text)[.]ts$',
        reachable: true,
      },
    },
    {
      name: 'main-thread-matches-no-patterns',
      severity: 'error',
      comment: 'Patterns are written by strangers and take their time: the task match-paths has a limit to it',
      from: { path: '^(server|cli|codemod|mcp)/' },
      to: { path: 'node_modules/re2js', reachable: true },
    },
    {
      name: 'engines-load-on-first-use',
      severity: 'error',
      comment:
        'A worker that only ever sees JPEG must not carry the engines of the long tail: import them with import()',
      from: { path: '^(codecs|engine|models)/' },
      to: { path: ENGINES, dependencyTypesNot: ['dynamic-import'] },
    },
    {
      name: 'codecs-load-on-first-use',
      severity: 'error',
      comment: 'codecs/formats/codecs.ts imports a codec when a worker meets its format',
      from: { pathNot: '^test/' },
      to: { path: '^codecs/formats/[^/]+/codec[.]ts$' },
    },
  ],
  options: { ...options, tsPreCompilationDeps: false },
};
