import { defineConfig } from 'vite';

/** Address of the service that `npm run dev` starts. */
const SERVICE = 'http://127.0.0.1:8080';

export default defineConfig({
  base: '/console/',
  build: {
    outDir: '../server/console/built',
    emptyOutDir: true,
    // All files are in one folder, because the service serves them at one path.
    assetsDir: '',
    // No `data:` addresses, because the page's content security policy allows none except for images made on the page.
    assetsInlineLimit: 0,
    manifest: 'manifest.json',
    modulePreload: { polyfill: false },
    target: 'es2022',
    rollupOptions: { input: { console: 'index.html', docs: 'docs.ts' } },
  },
  server: { proxy: { '^/(api|healthz|readyz|docs|openapi[.]json)': SERVICE } },
});
