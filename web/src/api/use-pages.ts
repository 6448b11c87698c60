import type { AnyVariables, TypedDocumentNode } from '@urql/core';
import { useState } from 'react';
import { useClient } from 'urql';
import { type Failure, failureOf } from './failure.ts';
import { nodesOf } from './nodes-of.ts';
import { useLoaded } from './use-loaded.ts';

interface Page<Node> {
  edges: readonly { node: Node }[];
  pageInfo: { hasNextPage: boolean; endCursor: string | null };
}

export interface Pages<Node> {
  rows: Node[] | undefined;
  failure: Failure | undefined;
  /** Asks anew from the first page on. */
  reload: () => void;
  /** Reads the next page, and resolves to why it failed; undefined where there is none. */
  readOn: (() => Promise<Failure | undefined>) | undefined;
}

/** A list that is read page by page, from its newest row on. */
export function usePages<Data, Variables extends AnyVariables, Node>(
  document: TypedDocumentNode<Data, Variables>,
  makeVariables: (after: string | null) => Variables,
  key: string,
  pick: (data: Data) => Page<Node> | undefined,
): Pages<Node> {
  const client = useClient();
  const { data, failure, reload } = useLoaded(document, () => makeVariables(null), key);
  const [later, setLater] = useState<{ of: Data; pages: Page<Node>[] }>();
  const first = data === undefined ? undefined : pick(data);
  if (data === undefined || first === undefined) return { rows: undefined, failure, reload, readOn: undefined };
  // What was read on belongs to the first page that it was read behind.
  const read = later?.of === data ? later.pages : [];
  const { hasNextPage, endCursor } = (read.at(-1) ?? first).pageInfo;
  const readOn = async () => {
    const answer = await client.query(document, makeVariables(endCursor)).toPromise();
    const page = answer.data === undefined || answer.data === null ? undefined : pick(answer.data);
    if (page !== undefined) setLater({ of: data, pages: [...read, page] });
    return answer.error === undefined ? undefined : failureOf(answer.error);
  };
  return {
    rows: [first, ...read].flatMap(nodesOf),
    failure,
    reload,
    readOn: hasNextPage ? readOn : undefined,
  };
}
