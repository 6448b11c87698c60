import http from 'node:http';
import https from 'node:https';

/** What the service made of one event. */
export type SendOutcome =
  | { kind: 'decided'; action: 'allow' | 'block'; reason?: string }
  | { kind: 'accepted' }
  /** Any other answer. `detail` is what its Problem says, if it has one. */
  | { kind: 'refused'; status: number; detail: string }
  /** No answer: `code` names why, as Node does (`ECONNREFUSED`). */
  | { kind: 'unanswered'; code: string };

export interface Sender {
  send(event: unknown): Promise<SendOutcome>;
  close(): void;
}

const ANSWER_MS_MAX = 30_000;
const ANSWER_CHARS_MAX = 65_536;

/** Sends events to the service at `url` (an origin) with `token`, over at most `connectionsMax` kept-alive connections. */
export function createSender(url: string, token: string, connectionsMax: number): Sender {
  const endpoint = new URL(`${url}/v1/generic-webhook/hooks/events`);
  const { Agent, request } = endpoint.protocol === 'https:' ? https : http;
  const agent = new Agent({ keepAlive: true, maxSockets: connectionsMax });
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  return {
    send: (event) =>
      new Promise((resolve) => {
        const body = Buffer.from(JSON.stringify(event));
        const options = { method: 'POST', agent, timeout: ANSWER_MS_MAX };
        const sent = request(
          endpoint,
          { ...options, headers: { ...headers, 'content-length': body.length } },
          (answer) => {
            let text = '';
            answer.setEncoding('utf8').on('data', (chunk: string) => {
              if (text.length < ANSWER_CHARS_MAX) text += chunk;
            });
            answer.on('end', () => resolve(outcomeOf(answer.statusCode ?? 0, text)));
            answer.on('error', (error) => resolve({ kind: 'unanswered', code: codeOf(error) }));
          },
        );
        sent.on('timeout', () => sent.destroy(Object.assign(new Error('no answer in time'), { code: 'ETIMEDOUT' })));
        sent.on('error', (error) => resolve({ kind: 'unanswered', code: codeOf(error) }));
        sent.end(body);
      }),
    close: () => agent.destroy(),
  };
}

interface Answered {
  response?: { action?: unknown; reason?: unknown };
  detail?: unknown;
}

function outcomeOf(status: number, text: string): SendOutcome {
  if (status === 202) return { kind: 'accepted' };
  const body = parsed(text);
  const action = body.response?.action;
  if (status === 200 && (action === 'allow' || action === 'block')) {
    const reason = body.response?.reason;
    return { kind: 'decided', action, ...(typeof reason === 'string' ? { reason } : {}) };
  }
  return { kind: 'refused', status, detail: typeof body.detail === 'string' ? body.detail : '' };
}

function parsed(text: string): Answered {
  try {
    return (JSON.parse(text) ?? {}) as Answered;
  } catch {
    return {};
  }
}

function codeOf(error: Error & { code?: string }): string {
  return error.code ?? error.name;
}
