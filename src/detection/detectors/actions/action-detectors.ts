import type { Detector } from '../detector.ts';
import { codeAttacks } from './code-attacks.ts';
import { commandInjection } from './command-injection.ts';
import { credentialReads } from './credential-reads.ts';
import { destructiveFiles } from './destructive-files.ts';
import { destructiveServices } from './destructive-services.ts';
import { destructiveVcs } from './destructive-vcs.ts';
import { documentDatabases } from './document-databases.ts';
import { evasion } from './evasion.ts';
import { exfiltration } from './exfiltration.ts';
import { hostTampering } from './host-tampering.ts';
import { packages } from './packages.ts';
import { pathReads } from './path-reads.ts';
import { persistence } from './persistence.ts';
import { privilege } from './privilege.ts';
import { recon } from './recon.ts';
import { selfProtection } from './self-protection.ts';
import { shellAttacks } from './shell-attacks.ts';
import { sqlInjectionDetector } from './sql-injection.ts';
import { sqlStatements } from './sql-statements.ts';
import { ssrf } from './ssrf.ts';
import { unreadCalls } from './unread-calls.ts';

/** The detectors of what a tool call does. Their order does not matter to a decision. */
export const ACTION_DETECTORS: readonly Detector[] = [
  codeAttacks,
  commandInjection,
  credentialReads,
  destructiveFiles,
  destructiveServices,
  destructiveVcs,
  documentDatabases,
  evasion,
  exfiltration,
  hostTampering,
  packages,
  pathReads,
  persistence,
  privilege,
  recon,
  selfProtection,
  shellAttacks,
  sqlInjectionDetector,
  sqlStatements,
  ssrf,
  unreadCalls,
];
