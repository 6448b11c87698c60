import pino, { type Logger } from 'pino';
import type { LogOutput } from './log-output.ts';

export type { Logger };

/**
 * Structured logs, a line of JSON each. No event content and no secret is ever logged; the paths below are a second net
 * under that rule, for objects that come from elsewhere.
 */
export function createLogger(level: string, output: Pick<LogOutput, 'write'>): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: {
        paths: [
          'authorization',
          '*.authorization',
          'token',
          '*.token',
          'password',
          '*.password',
          'url',
          '*.url',
          'body',
          '*.body',
        ],
        censor: '[redacted]',
      },
    },
    output,
  );
}
