import { fileURLToPath } from 'node:url';

/** The bundled threads and the dashboard in `dist/`, found from `src/` as well as from a bundle that is in `dist/` itself. */

const bundle = (name: string): string => fileURLToPath(new URL(`../dist/${name}`, import.meta.url));

export const LANE_FILE = bundle('lane.cjs');
export const OFFLINE_FILE = bundle('offline.cjs');
export const POLICIES_FILE = bundle('policies.cjs');
export const SAML_FILE = bundle('saml.cjs');
export const PROJECTOR_FILE = bundle('projector.js');
export const WEB_DIR = bundle('web');
