interface Props {
  /** Undefined where there is nothing older. */
  readOlder: (() => Promise<void>) | undefined;
  isReading: boolean;
  what?: string;
}

/** Reads on behind the last row of a list. */
export function ShowOlder({ readOlder, isReading, what = 'older' }: Props) {
  if (readOlder === undefined) return null;
  return (
    <button type="button" disabled={isReading} onClick={() => void readOlder()}>
      Show {what}
    </button>
  );
}
