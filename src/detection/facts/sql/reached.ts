import { list } from '../input-keys.ts';
import { isWord } from './conditions.ts';
import type { SqlToken } from './tokens.ts';

/** What a statement reaches beside its database. */
export interface Reached {
  /** Addresses that the server asks, or writes to. */
  urls: readonly string[];
  /** Where it puts what it selects, of those. */
  exportsTo?: string;
  /** A file of the machine on which the client runs, that the client reads. */
  clientFile?: string;
}

const NOTHING: Reached = { urls: [] };

/** Functions and options that take an address, and words before which it stands. */
const FETCHING = list(
  'url urlcluster s3 s3cluster gcs azureblobstorage hdfs remote remotesecure deltalake iceberg httpuritype ' +
    'read_csv read_csv_auto read_parquet parquet_scan read_json read_json_auto read_text read_blob ' +
    'http_get http_post httpget httppost http_request request uri from to into',
);
const URL = /^[a-z][a-z0-9+.-]{1,15}:\/\/\S{1,2048}$/i;
/** Signs between such a word and the address: `url('…`, `uri = '…`. */
const SIGNS_MAX = 2;
const URLS_MAX = 16;
const EXPORTING = list('export unload copy');

/** What the statement `tokens` reaches. */
export function reachedBy(tokens: readonly SqlToken[]): Reached {
  const urls = tokens.flatMap(({ type, text }, at) =>
    type === 'string' && URL.test(text) && isFetched(tokens, at) ? [text] : [],
  );
  const clientFile = clientFileOf(tokens);
  if (urls.length === 0 && clientFile === undefined) return NOTHING;
  const exportsTo = exportOf(tokens);
  return {
    urls: urls.slice(0, URLS_MAX),
    ...(exportsTo === undefined ? {} : { exportsTo }),
    ...(clientFile === undefined ? {} : { clientFile }),
  };
}

function isFetched(tokens: readonly SqlToken[], at: number): boolean {
  let before = at - 1;
  while (before >= at - SIGNS_MAX && tokens[before]?.type === 'sign') before--;
  const token = tokens[before];
  return token?.type === 'word' && FETCHING.has(token.text);
}

/** `export data options(uri='gs://…') as select`, `unload ('select …') to 's3://…'`, `copy into 's3://…' from orders`, `copy orders to 's3://…'`. */
function exportOf(tokens: readonly SqlToken[]): string | undefined {
  if (tokens[0]?.type !== 'word' || !EXPORTING.has(tokens[0].text)) return undefined;
  const at = tokens.findIndex(({ type, text }) => type === 'string' && URL.test(text));
  // What stands behind `from` comes in.
  return at < 0 || isWord(tokens[at - 1], 'from') ? undefined : tokens[at]?.text;
}

/** `load data local infile '…'`. */
function clientFileOf(tokens: readonly SqlToken[]): string | undefined {
  if (!isWord(tokens[0], 'load')) return undefined;
  const at = tokens.findIndex((token) => isWord(token, 'infile'));
  const isLocal = tokens.slice(0, Math.max(0, at)).some((token) => isWord(token, 'local'));
  return isLocal && tokens[at + 1]?.type === 'string' ? tokens[at + 1]?.text : undefined;
}
