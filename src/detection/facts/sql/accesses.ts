import type { Limits } from '../../limits.ts';
import type { FileAccess } from '../file-access.ts';
import { hostsOfUrl, shortenedUrl } from '../hosts.ts';
import type { NetAccess } from '../net-access.ts';
import { canonicalPath } from '../paths.ts';
import type { SqlStatement } from './statements.ts';

/** The name of a bucket is none of a host. */
const BUCKET = /^(?:s3[an]?|gs|gcs|azure|abfss?|wasbs?|hdfs|r2):/i;

/** Adds the hosts that `statements` have their server contact, and the files that their client reads, which the tool `by` is. */
export function accessesOfStatements(
  statements: readonly SqlStatement[],
  by: string,
  { urlCharsMax, pathCharsMax }: Pick<Limits, 'urlCharsMax' | 'pathCharsMax'>,
  { hosts, files }: { hosts: NetAccess[]; files: FileAccess[] },
): void {
  for (const { reached, origin } of statements) {
    for (const url of reached.urls.filter((each) => !BUCKET.test(each)))
      for (const host of hostsOfUrl(shortenedUrl(url, urlCharsMax)))
        hosts.push({ host, method: undefined, by, command: undefined, origin });
    const file = reached.clientFile?.slice(0, pathCharsMax);
    if (file === undefined) continue;
    const path = canonicalPath(file);
    files.push({ operation: 'read', path, glob: false, recursive: false, by, command: undefined, origin });
  }
}
