import type { AnyVariables, TypedDocumentNode } from '@urql/core';
import { stringifyDocument } from '@urql/core';
import { createClient } from 'graphql-ws';
import { useEffect, useRef, useState } from 'react';
import { authorizedFetch, SESSION } from './authorized-fetch.ts';

/** What is watched over a socket: one for the whole page, opened with the first subscription. */

const FIRST_RETRY_MS = 500;
const RETRY_MS_MAX = 15_000;
/** Between two pages that watch something the socket stays open. */
const LINGER_MS = 5_000;
const UNAUTHORIZED = 4401;

const client = createClient({
  url: () => `${window.location.protocol === 'https:' ? 'wss' : 'ws'}://${window.location.host}/api/v1/graphql`,
  lazy: true,
  lazyCloseTimeout: LINGER_MS,
  keepAlive: 20_000,
  retryAttempts: Number.POSITIVE_INFINITY,
  retryWait: (retries) =>
    new Promise((resolve) => {
      const longest = Math.min(RETRY_MS_MAX, FIRST_RETRY_MS * 2 ** retries);
      setTimeout(resolve, longest * (0.5 + Math.random() / 2));
    }),
  shouldRetry: () => true,
});

/** The socket was closed because nobody is signed in any more: asking anything says so to the whole dashboard. */
client.on('closed', (event) => {
  if ((event as CloseEvent).code === UNAUTHORIZED) void authorizedFetch(SESSION);
});

interface Options<Data> {
  onData: (data: Data) => void;
  /** What changes of the variables when the subscription is made again after its connection was lost. */
  resume?: (data: Data) => object;
  isPaused?: boolean;
}

/**
 * Watches what `document` says, as long as the page is shown; a change of `key` watches something else. Returns whether it is live:
 * while it is not, the page asks now and then instead.
 */
export function useLive<Data, Variables extends AnyVariables>(
  document: TypedDocumentNode<Data, Variables>,
  variables: Variables,
  key: string,
  options: Options<Data>,
): boolean {
  const [isLive, setLive] = useState(false);
  const latest = useRef(options);
  latest.current = options;
  const first = useRef(variables);
  first.current = variables;
  const { isPaused = false } = options;
  const [turn, setTurn] = useState(0);

  useEffect(() => {
    // `key` stands for the variables; a new turn tries again.
    void key;
    void turn;
    if (isPaused) return;
    let isOver = false;
    let retry: ReturnType<typeof setTimeout> | undefined;
    const ended = () => {
      // To stop it completes it, too.
      if (isOver) return;
      setLive(false);
      retry = setTimeout(() => setTurn((n) => n + 1), RETRY_MS_MAX);
    };
    // Sent again, as it is then, with every new connection.
    const payload = { query: stringifyDocument(document), variables: { ...(first.current as object) } };
    const stopClosed = client.on('closed', () => setLive(false));
    const stop = client.subscribe<Data>(payload, {
      next: ({ data, errors }) => {
        if (data === undefined || data === null || errors !== undefined) return;
        Object.assign(payload.variables, latest.current.resume?.(data));
        setLive(true);
        latest.current.onData(data);
      },
      error: ended,
      complete: ended,
    });
    return () => {
      isOver = true;
      clearTimeout(retry);
      stopClosed();
      stop();
      setLive(false);
    };
  }, [document, key, isPaused, turn]);
  return isLive;
}
