import { randomBytes } from 'node:crypto';
import { request } from 'node:http';
import type { Socket } from 'node:net';

/** A WebSocket client (RFC 6455) that does as it is told: sends any headers, stops reading, goes away without a word. */

export interface Refused {
  status: number;
  body: string;
}

export function openWebSocket(
  url: string,
  headers: Record<string, string> = {},
  protocol: string | undefined = 'graphql-transport-ws',
): Promise<TestSocket | Refused> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, {
      agent: false,
      headers: {
        connection: 'Upgrade',
        upgrade: 'websocket',
        'sec-websocket-version': '13',
        'sec-websocket-key': randomBytes(16).toString('base64'),
        ...(protocol === undefined ? {} : { 'sec-websocket-protocol': protocol }),
        ...headers,
      },
    });
    outgoing.on('upgrade', (_answer, socket, head) => resolve(new TestSocket(socket, head)));
    outgoing.on('response', (answer) => {
      let body = '';
      answer.setEncoding('utf8').on('data', (text: string) => {
        body += text;
      });
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, body }));
    });
    outgoing.on('error', reject);
    outgoing.end();
  });
}

const OPCODES = { text: 1, close: 8, ping: 9, pong: 10 };

export class TestSocket {
  readonly closed: Promise<{ code: number; reason: string }>;
  readonly #socket: Socket;
  #data = Buffer.alloc(0);
  #onMessage: (text: string) => void = () => {};
  #onClosed: (closed: { code: number; reason: string }) => void = () => {};
  #close = { code: 1006, reason: '' };

  constructor(socket: Socket, head: Buffer) {
    this.#socket = socket;
    this.closed = new Promise((resolve) => {
      this.#onClosed = resolve;
    });
    socket.on('data', (data) => this.#read(data));
    socket.on('error', (error) => {
      this.#close.reason = error.message;
    });
    // What came with the answer is read once there is a listener, and before the end is told.
    if (head.length > 0) setImmediate(() => this.#read(head));
    socket.on('close', () => setImmediate(() => this.#onClosed(this.#close)));
  }

  onMessage(listener: (text: string) => void): void {
    this.#onMessage = listener;
  }

  send(text: string): void {
    this.#write(OPCODES.text, Buffer.from(text));
  }

  /** Reads nothing more until `resume`. */
  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  /** Goes away without a word. */
  destroy(): void {
    this.#socket.destroy();
  }

  #write(opcode: number, payload: Buffer): void {
    const mask = randomBytes(4);
    const length = payload.length < 126 ? Buffer.from([0x80 | payload.length]) : longLength(payload.length);
    const masked = payload.map((byte, index) => byte ^ (mask[index % 4] as number));
    this.#socket.write(Buffer.concat([Buffer.from([0x80 | opcode]), length, mask, masked]));
  }

  #read(data: Buffer): void {
    this.#data = Buffer.concat([this.#data, data]);
    for (let frame = readFrame(this.#data); frame !== undefined; frame = readFrame(this.#data)) {
      this.#data = this.#data.subarray(frame.bytes);
      this.#take(frame);
    }
  }

  #take({ opcode, payload }: Frame): void {
    if (opcode === OPCODES.text) this.#onMessage(payload.toString('utf8'));
    if (opcode === OPCODES.ping) this.#write(OPCODES.pong, payload);
    if (opcode !== OPCODES.close) return;
    this.#close = { code: payload.length < 2 ? 1005 : payload.readUInt16BE(0), reason: payload.toString('utf8', 2) };
    this.#socket.end();
  }
}

interface Frame {
  opcode: number;
  payload: Buffer;
  bytes: number;
}

function longLength(length: number): Buffer {
  const buffer = Buffer.alloc(9);
  buffer[0] = 0x80 | 127;
  buffer.writeBigUInt64BE(BigInt(length), 1);
  return buffer;
}

/** Undefined until all of it is there. Servers do not mask, and ours does not cut a message in frames. */
function readFrame(data: Buffer): Frame | undefined {
  if (data.length < 2) return undefined;
  const short = (data[1] as number) & 0x7f;
  const lengthBytes = short === 126 ? 2 : short === 127 ? 8 : 0;
  const start = 2 + lengthBytes;
  if (data.length < start) return undefined;
  const length = lengthBytes === 0 ? short : lengthBytes === 2 ? data.readUInt16BE(2) : Number(data.readBigUInt64BE(2));
  if (data.length < start + length) return undefined;
  return { opcode: (data[0] as number) & 0x0f, payload: data.subarray(start, start + length), bytes: start + length };
}
