import type { AnyVariables, TypedDocumentNode } from '@urql/core';
import { useState } from 'react';
import { useClient } from 'urql';
import { type ReadList, withNewest, withOlder } from '../text/read-list.ts';
import { type Failure, failureOf } from './failure.ts';
import { nodesOf } from './nodes-of.ts';
import { useLoaded } from './use-loaded.ts';

interface Wanted<Data, Variables, Row> {
  /** @param from where to go on; null for the newest rows. */
  variables: (from: string | null) => Variables;
  /** Of the whole list: another one drops what was read. */
  key: string;
  pick: (data: Data) => ReadList<Row> | undefined;
  keyOf: (row: Row) => string | number;
  /** Asks for the newest rows again so often, while the page is looked at. */
  everyMs?: number;
}

export interface Newest<Data, Row> {
  /** The newest answer. */
  data: Data | undefined;
  /** Newest first, without holes; undefined before the first answer. */
  rows: readonly Row[] | undefined;
  failure: Failure | undefined;
  /** Asks for the newest rows now. */
  reload: () => void;
  /** Reads on behind the last row, and resolves to why it failed; undefined where nothing is. */
  readOlder: (() => Promise<Failure | undefined>) | undefined;
}

interface Read<Data, Row> {
  key: string;
  /** The answer whose rows are in front. */
  data?: Data;
  list: ReadList<Row>;
}

const NOTHING = { list: { rows: [], next: null } };

/** A list whose rows do not change places, read from its newest row on; what is new comes in front by itself. */
export function useNewest<Data, Variables extends AnyVariables, Row>(
  document: TypedDocumentNode<Data, Variables>,
  { variables, key, pick, keyOf, everyMs }: Wanted<Data, Variables, Row>,
): Newest<Data, Row> {
  const client = useClient();
  const { data, failure, reload } = useLoaded(document, () => variables(null), key, { everyMs });
  const [state, setRead] = useState<Read<Data, Row>>({ key, ...NOTHING });
  let read: Read<Data, Row> = state.key === key ? state : { key, ...NOTHING };
  const newest = data === undefined ? undefined : pick(data);
  if (data !== undefined && data !== read.data && newest !== undefined) {
    read = { ...read, data, list: withNewest(read.list, newest, keyOf) };
    setRead(read);
  }
  const from = read.list.next;
  const readOlder = async () => {
    const answer = await client.query(document, variables(from)).toPromise();
    const older = answer.data === undefined || answer.data === null ? undefined : pick(answer.data);
    if (older !== undefined && from !== null)
      setRead((now) => (now.key === key ? { ...now, list: withOlder(now.list, older, from) } : now));
    return answer.error === undefined ? undefined : failureOf(answer.error);
  };
  return {
    data,
    rows: read.data === undefined ? undefined : read.list.rows,
    failure,
    reload,
    readOlder: from === null ? undefined : readOlder,
  };
}

/** A page of a connection as the piece of a list. */
export function pieceOf<Node>(
  page: { edges: readonly { node: Node }[]; pageInfo: { hasNextPage: boolean; endCursor: string | null } } | undefined,
): ReadList<Node> | undefined {
  if (page === undefined) return undefined;
  const { hasNextPage, endCursor } = page.pageInfo;
  return { rows: nodesOf(page), next: hasNextPage ? endCursor : null };
}

/** A piece of rows that are numbered from 1 on without a gap. */
export function numberedPiece<Row>(
  rows: readonly Row[] | undefined,
  numberOf: (row: Row) => number,
): ReadList<Row> | undefined {
  if (rows === undefined) return undefined;
  const last = rows.at(-1);
  return { rows, next: last === undefined || numberOf(last) === 1 ? null : String(numberOf(last)) };
}
