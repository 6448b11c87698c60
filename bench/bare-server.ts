import { App, type HttpResponse, us_socket_local_port } from 'uWebSockets.js';

/**
 * What the service is measured against: uWebSockets.js that reads the body, parses the JSON and answers a constant, 200
 * or 202 by the event's type. It checks, decides and stores nothing: the least a server for these events can do.
 */

const PATH = '/v1/generic-webhook/hooks/events';
const ALLOW = '{"apiVersion":"1","response":{"action":"allow"}}';

function answer(res: HttpResponse, body: string): void {
  const { event_type: eventType } = JSON.parse(body) as { event_type: string };
  const blocking = eventType === 'tool_invocation' || eventType === 'user_message';
  res.cork(() => {
    if (blocking) res.writeHeader('content-type', 'application/json').end(ALLOW);
    else res.writeStatus('202 Accepted').end();
  });
}

App()
  .post(PATH, (res) => {
    let chunks: Buffer[] = [];
    res.onAborted(() => {
      chunks = [];
    });
    res.onData((chunk, isLast) => {
      if (!isLast) chunks.push(Buffer.from(chunk.slice(0)));
      else if (chunks.length === 0) answer(res, Buffer.from(chunk).toString('utf8'));
      else answer(res, Buffer.concat([...chunks, Buffer.from(chunk)]).toString('utf8'));
    });
  })
  .listen('127.0.0.1', 0, (socket) => {
    if (socket === false) throw new Error('the bare server found no free port');
    console.log(`listening on http://127.0.0.1:${us_socket_local_port(socket)}`);
  });
