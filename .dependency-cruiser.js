/** The directions of docs/ARCHITECTURE.md, and the one home of each vendor. */

const layers = [
  'lib',
  'threads',
  'domain',
  'detection',
  'inspection',
  'store',
  'journal',
  'projector',
  'identity',
  'policies',
  'session',
  'platform',
  'gateway',
];

/** What each part may import of the others. */
const mayImport = {
  lib: [],
  threads: ['lib'],
  domain: ['lib'],
  detection: ['lib', 'domain'],
  inspection: ['lib', 'threads', 'domain', 'detection'],
  store: ['lib', 'domain', 'journal'],
  journal: ['lib', 'domain'],
  projector: ['lib', 'domain', 'journal', 'store'],
  identity: ['lib', 'threads', 'domain'],
  policies: ['lib', 'domain', 'inspection', 'identity'],
  session: ['lib', 'domain', 'detection'],
  telemetry: ['lib', 'domain'],
  platform: ['lib', 'domain', 'store', 'identity'],
  graphql: ['lib', 'domain', 'store', 'platform'],
  gateway: ['lib', 'domain', 'identity', 'session', 'platform'],
};

/** Ports that may be imported from where the layer itself may not. */
const ports = '^src/(journal/journal|inspection/inspector)\\.ts$';

const directions = Object.entries(mayImport).map(([part, allowed]) => ({
  name: `${part}-imports-only-${allowed.join('-') || 'itself'}`,
  severity: 'error',
  from: { path: `^src/${part}/` },
  to: {
    path: '^(src|workers)/',
    pathNot: [`^src/(${[part, ...allowed].join('|')})/`, ...(part === 'session' ? [ports] : [])],
  },
}));

const homes = {
  'uWebSockets.js': '^src/gateway/',
  piscina: '^src/(inspection/(worker-pool|offline)|threads/side-pool)\\.ts$',
  'drizzle-orm': '^src/store/',
  postgres: '^src/store/',
  lmdb: '^src/journal/lmdb-[a-z-]+\\.ts$',
  jose: '^src/identity/',
  'openid-client': '^src/identity/',
  '@node-saml/node-saml': '^src/identity/',
  nodemailer: '^src/identity/',
  graphql: '^src/graphql/',
  'graphql-http': '^src/graphql/',
  'graphql-ws': '^src/graphql/',
  '@pothos/core': '^src/graphql/',
  pino: '^src/telemetry/',
  'prom-client': '^src/telemetry/',
  unbash: '^src/detection/facts/shell/',
};

const vendors = Object.entries(homes).map(([vendor, home]) => ({
  name: `${vendor}-has-one-home`,
  severity: 'error',
  from: { path: '^(src|workers)/', pathNot: home },
  to: { path: `^node_modules/${vendor.replace('.', '\\.')}/` },
}));

export default {
  forbidden: [
    { name: 'no-circular', severity: 'error', from: {}, to: { circular: true } },
    { name: 'no-unresolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
    {
      name: 'no-development-packages-in-the-product',
      severity: 'error',
      from: { path: '^(src|workers)/' },
      to: { dependencyTypes: ['npm-dev'] },
    },
    {
      name: 'the-dashboard-knows-the-service-by-its-schema-alone',
      severity: 'error',
      from: { path: '^web/' },
      to: { path: '^(src|workers|test|scripts)/' },
    },
    {
      name: 'pure-parts-do-no-io',
      severity: 'error',
      from: { path: '^src/(lib|domain|detection)/' },
      to: { dependencyTypes: ['core'], pathNot: '^(node:)?(crypto|buffer|zlib)$' },
    },
    {
      name: 'lanes-import-only-the-pure-core',
      severity: 'error',
      from: { path: '^workers/', pathNot: '^workers/(projector|saml)\\.ts$' },
      to: {
        path: '^src/',
        pathNot: [
          '^src/(lib|domain|detection)/',
          '^src/inspection/(lane-messages|lane-server|thread-time|inspector|offline|policy-tasks)\\.ts$',
          '^src/session/(backtest|policy-tests|replay|state|verification)\\.ts$',
        ],
      },
    },
    {
      name: 'only-app-and-cli-compose',
      severity: 'error',
      from: { path: `^src/(${layers.join('|')}|telemetry)/` },
      to: { path: '^src/(app|main|config)\\.ts$|^src/cli/' },
    },
    ...directions,
    ...vendors,
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      extensions: ['.ts', '.js'],
      conditionNames: ['import', 'node', 'default', 'types'],
    },
  },
};
