import { networkOf } from '../identity/network.ts';
import type { Clock } from '../lib/clock.ts';
import type { TokenBuckets } from '../lib/token-buckets.ts';
import { type PlatformRequest, type Route, refuse } from './http.ts';

/** The network that a request is counted with: see `networkOf`. */
export function networkOfRequest({ address }: Pick<PlatformRequest, 'address'>): string {
  return networkOf(address);
}

/** `handle`, for as many requests of one network as its bucket holds. `what` names them to whoever has to wait. */
export function limitedByNetwork(
  clock: Clock,
  { buckets, what }: { buckets: TokenBuckets; what: string },
  handle: Route['handle'],
): Route['handle'] {
  return (request) => {
    const waitSeconds = buckets.take(networkOfRequest(request), clock.monotonic());
    if (waitSeconds === 0) return handle(request);
    const detail = `too many ${what} from this network; wait a moment`;
    return refuse('too-many-requests', detail, [['retry-after', String(waitSeconds)]]);
  };
}
