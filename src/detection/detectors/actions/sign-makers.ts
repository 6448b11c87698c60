import type { Severity } from '../../../domain/decision.ts';
import type { CodeSign } from './code-signs.ts';
import type { CommandSign } from './command-signs.ts';

/** Where PowerShell fetches something, of any case: this machine is only asked whether a server on it runs by now. */
export const POWERSHELL_FETCH = String.raw`\b(?:Invoke-WebRequest|Invoke-RestMethod|iwr|irm)\b(?!(?:\s{1,4}-(?:Uri|UseBasicParsing))?\s{1,4}["']{0,2}https?:\/\/(?:localhost|127\.0\.0\.1)(?::\d{1,5})?[/'" )])`;

type Make = (programs: string, words?: RegExp, unless?: RegExp) => CommandSign;

/** Makes signs that say the same of several programs. */
export function signsOf(kind: string, what: string, confidence = 0.8, severity: Severity = 'high'): Make {
  return (programs, words, unless) => ({
    programs,
    ...(words === undefined ? {} : { words }),
    ...(unless === undefined ? {} : { unless }),
    kind,
    severity,
    confidence,
    what,
  });
}

/** A sign of code, grave, where `all` of the patterns are in it. */
export function codeSign(kind: string, what: string, confidence: number, ...all: readonly RegExp[]): CodeSign {
  return { all, kind, severity: 'high', confidence, what };
}
