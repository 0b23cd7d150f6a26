import { defineConfig } from 'vite';

/** Where the service of `npm run dev` listens. */
const SERVICE = 'http://127.0.0.1:8080';

export default defineConfig({
  base: '/console/',
  build: {
    outDir: '../built',
    emptyOutDir: true,
    // All in one folder: the service has one path for them.
    assetsDir: '',
    // No `data:` addresses: the policy of the page allows none but for pictures that are made on it.
    assetsInlineLimit: 0,
    manifest: 'manifest.json',
    // Of the packages that are part of the bundle.
    license: { fileName: 'licenses.md' },
    modulePreload: { polyfill: false },
    target: 'es2022',
    rollupOptions: { input: { console: 'index.html', docs: 'docs.ts' } },
  },
  server: { proxy: { '^/(api|healthz|readyz|docs|openapi[.]json)': SERVICE } },
});
