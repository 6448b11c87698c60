import { createHash } from 'node:crypto';
import { credentialReads } from './credential-reads.ts';
import { destructiveFiles } from './destructive-files.ts';
import { destructiveServices } from './destructive-services.ts';
import { destructiveVcs } from './destructive-vcs.ts';
import { metadataRequests } from './metadata-requests.ts';
import type { Rule } from './rule.ts';
import { systemReads } from './system-reads.ts';

/** The built-in rules, by id. Their order does not matter to a decision. */
export const RULES: readonly Rule[] = [
  credentialReads,
  systemReads,
  metadataRequests,
  destructiveFiles,
  destructiveServices,
  destructiveVcs,
];

/** Version of the code that gathers facts. Raised with each change by which the same event may give other facts. */
export const ENGINE = 'facts/1';

/** Hash of the rule set: which rules there are, in which version. */
export const RULE_SET = `builtin:${createHash('sha256')
  .update(JSON.stringify(RULES.map(({ id, version, severity }) => [id, version, severity])))
  .digest('hex')
  .slice(0, 32)}`;
