import { named } from '../../reason.ts';
import { actionDetector } from './action.ts';

/** The services at which clouds hand out credentials to whatever runs on an instance. */
export const ssrf = actionDetector({
  id: 'ssrf',
  version: 2,
  severity: 'critical',
  title: 'Requests a cloud metadata address, which hands out credentials to whoever asks from inside.',
  kinds: ['ssrf.metadata'],
  falsePositives: [],
  find({ facts }, found) {
    for (const access of facts.hosts) {
      if (access.host.class !== 'metadata') continue;
      const hidden = access.host.disguises.length > 0 ? ' in disguise' : '';
      found.push({
        kind: 'ssrf.metadata',
        what: `requests the cloud metadata service${hidden}: ${named(access.host.host)} (${named(access.by)})`,
        confidence: 0.95,
        origin: access.origin,
      });
    }
  },
});
