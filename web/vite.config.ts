import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import { addressOf } from './src/api/client.ts';
import { ViewerQuery } from './src/api/viewer.ts';

/** Has the page ask who looks at it while the script is still on its way: nothing can be shown before that is known. */
const askForViewer: Plugin = {
  name: 'ask-for-viewer',
  transformIndexHtml: () => [
    {
      tag: 'link',
      attrs: {
        rel: 'preload',
        as: 'fetch',
        href: addressOf(ViewerQuery),
        crossorigin: 'use-credentials',
      },
      injectTo: 'head-prepend',
    },
  ],
};

/** Built to `dist/web`, from where the gateway serves it. `npx vite web` serves it with reloading, beside a running service. */
export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), askForViewer],
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
