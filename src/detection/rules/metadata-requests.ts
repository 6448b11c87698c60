import { named } from './reason.ts';
import type { Match, Rule } from './rule.ts';

/** The services at which clouds hand out credentials to whatever runs on an instance. */
export const metadataRequests: Rule = {
  id: 'net.cloud_metadata',
  version: 1,
  severity: 'critical',
  title: 'Requests a cloud metadata address, which hands out credentials to whoever asks from inside.',
  matches(facts) {
    const found: Match[] = [];
    for (const access of facts.hosts) {
      if (access.host.class !== 'metadata') continue;
      const hidden = access.host.disguises.length > 0 ? ' in disguise' : '';
      found.push({
        kind: 'net.cloud_metadata',
        what: `requests the cloud metadata service${hidden}: ${named(access.host.host)} (${named(access.by)})`,
        confidence: 0.95,
        origin: access.origin,
      });
    }
    return found;
  },
};
