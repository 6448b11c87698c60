import { join } from 'node:path';
import type { Config } from './config.ts';
import { AccessTokenVerifier, DEFAULT_BOUNDS } from './identity/access-token-verifier.ts';
import { guardedText } from './identity/remote-keys.ts';
import { Revocations } from './identity/revocations.ts';
import { SigningKeys } from './identity/signing-keys.ts';
import { TrustedIssuers } from './identity/trusted-issuers.ts';
import { systemClock } from './lib/clock.ts';
import type { StartedParts } from './lib/started-parts.ts';
import type { Storage } from './open-storage.ts';
import type { Database } from './store/database.ts';
import { TokenRevocations } from './store/token-revocations.ts';
import { listAllTrustedIssuers } from './store/trusted-issuers.ts';
import type { Logger } from './telemetry/logger.ts';

export interface Identity {
  keys: SigningKeys;
  /** Of sensors' tokens. */
  verifier: AccessTokenVerifier;
  /** Of tokens for the platform interface. */
  platformVerifier: AccessTokenVerifier;
  /** Calls back with the id of each token that is revoked from now on; returns how to stop it. */
  onTokenRevoked: Revocations['onRevoked'];
}

/** Programs that administer are few beside sensors. */
const PLATFORM_BOUNDS = {
  ...DEFAULT_BOUNDS,
  tokensMax: 2000,
  tokenBytesMax: 4 * 1024 * 1024,
  checksMax: 2,
  waitingMax: 256,
};

/** Opens what tells who asks. */
export async function openIdentity(
  config: Config,
  log: Logger,
  parts: StartedParts,
  { database, patience }: Pick<Storage, 'database' | 'patience'>,
): Promise<Identity> {
  const report = (problem: string) => log.warn(problem);
  const keys = await SigningKeys.open(config.dataDir, report);
  parts.addWatch('signing keys', () => keys.stop());
  await keys.watch();
  const source = new TokenRevocations(database);
  const revocations = await Revocations.open({ dataDir: config.dataDir, source, clock: systemClock, report });
  parts.addWatch('revocations', () => revocations.stop());
  await patience.outlasts(revocations.start());
  const external = openTrustedIssuers(config, parts, database);
  await patience.outlasts(external.follow(report));
  const ports = { keys, revocations, clock: systemClock, external };
  return {
    keys,
    verifier: new AccessTokenVerifier(ports),
    platformVerifier: new AccessTokenVerifier({ ...ports, kind: 'platform' }, PLATFORM_BOUNDS),
    onTokenRevoked: (listener) => revocations.onRevoked(listener),
  };
}

function openTrustedIssuers(config: Config, parts: StartedParts, database: Database): TrustedIssuers {
  const issuers = new TrustedIssuers({
    source: { listIssuers: () => listAllTrustedIssuers(database) },
    file: join(config.dataDir, 'trusted-issuers.json'),
    clock: systemClock,
    fetchText: guardedText({ privateNetworks: config.ssoPrivateNetworks }),
  });
  parts.addWatch('trusted issuers', () => issuers.stop());
  return issuers;
}
