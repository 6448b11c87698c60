import { localTime } from '../text/format.ts';

/** Local time; the exact one, in UTC, on hover. */
export function Time({ at }: { at: string }) {
  return (
    <time dateTime={at} title={at}>
      {localTime(new Date(at), new Date())}
    </time>
  );
}
