import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** Built to `dist/web`, from where the gateway serves it. `npx vite web` serves it with reloading, beside a running service. */
export default defineConfig({
  root: import.meta.dirname,
  plugins: [react()],
  build: {
    outDir: '../dist/web',
    emptyOutDir: true,
    target: ['chrome125', 'firefox125', 'safari17.5'],
    // The content security policy allows nothing inline.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
  server: { proxy: { '/api': 'http://127.0.0.1:8080', '/v1': 'http://127.0.0.1:8080' } },
});
