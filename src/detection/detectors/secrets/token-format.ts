import type { Severity } from '../../../domain/decision.ts';
import { isPublished } from './placeholders.ts';
import { lookOf } from './randomness.ts';

/** A kind of secret that its issuer marks with a fixed piece of text, mostly at its start. */
export interface TokenFormat {
  /** The kind's second half: `github_token`. */
  what: string;
  /** For the person: "a GitHub token". */
  title: string;
  /** The fixed pieces, one of which every token has. Looked up without regard to case; the pattern decides. */
  marks: readonly string[];
  /** The whole token, sticky. Bounded quantifiers only. Its first group, if it has one, is the secret itself. */
  pattern: RegExp;
  /** The token starts before its mark: at most so many characters of those, by ASCII code. */
  lead: { chars: Uint8Array; charsMax: number } | undefined;
  severity: Severity;
  confidence: number;
  /** How sure it is of a token that fits the pattern; 0 refuses it. */
  judge: (secret: string) => number;
}

interface Options {
  severity?: Severity;
  confidence?: number;
  lead?: { chars: RegExp; charsMax: number };
  /** Further demands on the secret; a returned number replaces the confidence. */
  check?: (secret: string) => boolean | number;
  /** Least entropy in bits per character. */
  entropyBitsMin?: number;
}

/**
 * A format from its mark or marks (a list with `|`) and the pattern of what follows one. A token ends where no
 * character of a word follows.
 */
export function token(what: string, title: string, marks: string, rest: string, options: Options = {}): TokenFormat {
  const list = marks.split('|');
  const marked = list.map(escaped).join('|');
  return tokenLike(what, title, list, `(?:${marked})${rest}(?!\\w)`, options);
}

/** A format whose whole pattern is given: the mark may stand anywhere in it, as `lead` says. */
export function tokenLike(
  what: string,
  title: string,
  marks: readonly string[],
  pattern: string,
  options: Options = {},
): TokenFormat {
  const { severity = 'high', confidence = 0.95, lead, check, entropyBitsMin = 2.8 } = options;
  const judge = (secret: string): number => {
    if (isMadeUp(secret, entropyBitsMin)) return 0;
    const verdict = check?.(secret) ?? true;
    return verdict === true ? confidence : Number(verdict);
  };
  const table = lead && {
    chars: Uint8Array.from({ length: 128 }, (_, code) => Number(lead.chars.test(String.fromCharCode(code)))),
    charsMax: lead.charsMax,
  };
  return { what, title, marks, pattern: new RegExp(pattern, 'y'), lead: table, severity, confidence, judge };
}

/** What is written where a token would be: `ghp_xxxxxxxx`, `AKIA…EXAMPLE`. */
function isMadeUp(secret: string, entropyBitsMin: number): boolean {
  if (
    /x{5}|\*{3}|\.\.\.|EXAMPLE(?!.{60})|REDACTED|your[-_]|_here\b|(?:A[-_]?B[-_]?C[-_]?D[-_]?E[-_]?F[-_]?G)/i.test(
      secret,
    )
  )
    return true;
  if (isPublished(secret)) return true;
  const look = lookOf(secret);
  const bodyChars = Math.max(look.length, 1);
  return (
    look.entropyBits < entropyBitsMin ||
    look.longestRun > Math.max(6, bodyChars * 0.3) ||
    (look.longestSequence > 9 && look.longestSequence > look.longestRun)
  );
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&');
}
