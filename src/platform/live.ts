import type { PlatformRequest, Refusal } from './http.ts';

/** Live connections (WebSockets), apart from the server that takes them. */

/** The way to the other side. */
export interface LiveSocket {
  /** Whether something may be sent without it piling up here. */
  readonly hasRoom: boolean;
  /** Settled when there is room, or nobody to send to any more. */
  room(): Promise<void>;
  send(text: string): void;
  /** @param reason at most 123 bytes. */
  close(code: number, reason: string): void;
}

/** What is done with an open socket. */
export interface LiveConnection {
  receive(text: string): void;
  closed(code: number, reason: string): void;
}

/** Somebody who may open a socket: one of the two is called, once. */
export interface LiveEntry {
  open(socket: LiveSocket): LiveConnection;
  /** They went away before it was open. */
  abandon(): void;
}

/** An address where sockets are taken. */
export interface LiveEndpoint {
  path: string;
  /** The WebSocket subprotocol that must be asked for. */
  protocol: string;
  messageBytesMax: number;
  /** Who takes nothing for so long is cut off. */
  stalledMsMax: number;
  /** Rejects where the service failed. */
  admit(request: PlatformRequest): Promise<LiveEntry | Refusal>;
}

/** Codes that sockets are closed with (RFC 6455 §7.4; from 4000 on, those of graphql-transport-ws). */
export const CLOSE = {
  goingAway: 1001,
  policy: 1008,
  tryAgainLater: 1013,
  internalError: 4500,
  unauthorized: 4401,
  forbidden: 4403,
} as const;
