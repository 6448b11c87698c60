/** Bounds of sockets: docs/ARCHITECTURE.md says what happens at each. */
export interface SocketLimits {
  socketsMax: number;
  /** Of one person, one token, or one network from which nobody said yet who they are. */
  socketsOfOneMax: number;
  /** Of all tokens of one tenant. */
  socketsOfTenantMax: number;
  /** Not yet acknowledged, of all. */
  unknownMax: number;
  operationsMax: number;
  /** Messages of one socket at once, and one more each so many milliseconds. */
  messagesBurst: number;
  messageEveryMs: number;
  initMsMax: number;
  /** Without taking anything of what was sent. */
  stalledMsMax: number;
  /** How often it is asked again whether who opened a socket may still do so. */
  recheckMs: number;
}

export const SOCKET_LIMITS: SocketLimits = {
  socketsMax: 500,
  socketsOfOneMax: 16,
  socketsOfTenantMax: 64,
  unknownMax: 100,
  operationsMax: 20,
  messagesBurst: 60,
  messageEveryMs: 100,
  initMsMax: 5_000,
  stalledMsMax: 20_000,
  recheckMs: 10_000,
};
