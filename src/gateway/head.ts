import type { HttpRequest } from 'uWebSockets.js';
import { randomUUID } from 'node:crypto';

/** What is needed of a request's head, copied out: uWebSockets.js reuses the request object after the handler. */
export interface RequestHead {
  authorization: string;
  contentType: string;
  /** Bytes announced; 0 where none are, or not as a number. */
  contentLength: number;
  /** Whether any were announced. */
  hasLength: boolean;
  correlationId: string;
  traceparent: string;
  /** Why the request may not be read further: two parsers could read it in two ways (see `readHead`). */
  framingFault: string | undefined;
}

/**
 * Copies the head and finds framing that two parsers could read in two ways (request smuggling): uWebSockets.js accepts
 * a second Content-Length, Authorization or Content-Type, and reads chunked bodies; a proxy before us may see another
 * message. None of these is needed by a sensor, so each is refused.
 */
export function readHead(req: HttpRequest): RequestHead {
  const head: RequestHead = {
    authorization: '',
    contentType: '',
    contentLength: 0,
    hasLength: false,
    correlationId: '',
    traceparent: '',
    framingFault: undefined,
  };
  let lengths = 0;
  let authorizations = 0;
  let contentTypes = 0;
  req.forEach((name, value) => {
    switch (name) {
      case 'authorization':
        authorizations++;
        head.authorization = value;
        break;
      case 'content-length':
        lengths++;
        head.hasLength = true;
        if (/^\d{1,15}$/.test(value)) head.contentLength = Number(value);
        else head.framingFault = 'Content-Length must be a number';
        break;
      case 'transfer-encoding':
        head.framingFault = 'Transfer-Encoding is not accepted; send the body with a Content-Length';
        break;
      case 'content-type':
        contentTypes++;
        head.contentType = value;
        break;
      case 'x-correlation-id':
        head.correlationId = value;
        break;
      case 'traceparent':
        head.traceparent = value;
        break;
    }
  });
  if (lengths > 1) head.framingFault ??= 'there must be only one Content-Length';
  if (authorizations > 1) head.framingFault ??= 'there must be only one Authorization header';
  if (contentTypes > 1) head.framingFault ??= 'there must be only one Content-Type';
  return head;
}

const CORRELATION_ID = /^[A-Za-z0-9][A-Za-z0-9._:/+=@-]{0,127}$/;

/** The sender's correlation id if it is fit to be echoed, stored and logged, else a new one. */
export function correlationIdOf(given: string): string {
  return CORRELATION_ID.test(given) ? given : randomUUID();
}

const TRACEPARENT = /^(?!ff)[\da-f]{2}-(?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-[\da-f]{2}(?:-|$)/;

/** The W3C trace context if it is well formed. */
export function traceparentOf(given: string): string | undefined {
  return given.length <= 128 && TRACEPARENT.test(given) ? given : undefined;
}
