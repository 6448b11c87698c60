import { useEffect, useState } from 'react';
import { type Client, useClient } from 'urql';
import { type Failure, failureOf } from '../../api/failure.ts';
import { InstallationFilesQuery, PolicyFilesQuery, PolicyStateQuery } from './queries.ts';

export interface PolicyFile {
  file: string;
  text: string;
}

/** What an edit starts from. */
export interface StartSet {
  /** Null: the installation's policies. */
  version: number | null;
  files: readonly PolicyFile[];
  /** The newest version that was there; 0 for none. */
  newest: number;
}

type Loaded = { set: StartSet } | { failure: Failure };

/** The files of `version`; without one, of what decides now. Read once: what somebody else saves must not change an edit. */
export function useStartSet(
  tenantId: string,
  version: number | undefined,
): Partial<{ set: StartSet; failure: Failure }> & { reload: () => void } {
  const client = useClient();
  const [state, setState] = useState<Loaded>();
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    // A new turn asks again.
    void turn;
    let isOver = false;
    setState(undefined);
    void load(client, tenantId, version).then((loaded) => {
      if (!isOver) setState(loaded);
    });
    return () => {
      isOver = true;
    };
  }, [client, tenantId, version, turn]);
  return { ...state, reload: () => setTurn((n) => n + 1) };
}

async function load(client: Client, tenant: string, wanted: number | undefined): Promise<Loaded> {
  const now = await client.query(PolicyStateQuery, { tenant }, { requestPolicy: 'network-only' }).toPromise();
  if (now.error !== undefined) return { failure: failureOf(now.error) };
  const newest = now.data?.tenant?.policySets[0]?.version ?? 0;
  const version = wanted ?? now.data?.tenant?.policyState.activeVersion ?? null;
  if (version === null) {
    const { data, error } = await client.query(InstallationFilesQuery, { tenant }).toPromise();
    if (error !== undefined) return { failure: failureOf(error) };
    return { set: { version, newest, files: data?.tenant?.installationPolicySet.files ?? [] } };
  }
  const { data, error } = await client.query(PolicyFilesQuery, { tenant, version }).toPromise();
  if (error !== undefined) return { failure: failureOf(error) };
  const files = data?.tenant?.policySet?.files;
  return files === undefined
    ? { failure: { kind: 'failed', message: `There is no version ${version}.` } }
    : { set: { version, newest, files } };
}
