/** What a sensor is made with, for the tenant that is looked at. */
export interface SensorSite {
  /** Where events are sent to. */
  url: string;
  /** Undefined while none was minted: then it is left to a variable of the shell. */
  token: string | undefined;
  /** The address of who looks, where they are a person: for a sensor on their own machine. */
  user: string | null;
  /** Whether a call goes on where no answer comes: the tenant's fail mode. */
  failsOpen: boolean;
}

/**
 * Bytes of the largest event that a sensor sends: what the service takes unless told otherwise. What the call does is in the
 * event, and an agent can make it as large as it likes: one that is too large must not look like a service that is away.
 */
export const EVENT_BYTES_MAX = 1024 * 1024;

/** Something to be copied, and what to do with it. */
export interface SensorStep {
  /** What it is, as in "Copy the hook". */
  name: string;
  what: string;
  text: string;
}

export interface Sensor {
  id: string;
  label: string;
  steps: (site: SensorSite) => SensorStep[];
}

/** The token for a command of the shell. */
export function shellToken({ token }: SensorSite): string {
  return token === undefined ? '"$TOKEN"' : `'${token}'`;
}
