import { type ParsedScript, parse } from 'unbash';
import type { Walk } from './state.ts';

/** A shorter text cannot take the parser long, whatever it holds. */
const HARMLESS_CHARS = 192;

/**
 * The part of `text` that the parser reads in linear time. It is quadratic in here-documents that are never closed, and
 * reads the text of an expansion again at each level of expansions around it, so both are bounded before it starts.
 * Nesting is estimated from openers and closers, quotes left aside. A cut is recorded.
 */
function parsablePrefix(walk: Walk, text: string): string {
  if (text.length <= HARMLESS_CHARS) return text;
  const { shellHeredocsMax, shellNestingMax } = walk.limits;
  let depth = 0;
  let heredocsCount = 0;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case 92: // backslash
        at++;
        break;
      case 36: // dollar
        if (opensExpansion(text.charCodeAt(at + 1)) && ++depth > shellNestingMax) {
          walk.allowance.cut('shell', `nesting ${shellNestingMax}`);
          return text.slice(0, at);
        }
        break;
      case 41: // )
      case 125: // }
        if (depth > 0) depth--;
        break;
      case 60: // <
        if (text.charCodeAt(at + 1) !== 60) break;
        at++;
        if (++heredocsCount > shellHeredocsMax) {
          walk.allowance.cut('shell', `here-documents ${shellHeredocsMax}`);
          return text.slice(0, at - 1);
        }
        break;
      default:
        break;
    }
  }
  return text;
}

function opensExpansion(code: number): boolean {
  return code === 123 || code === 40;
}

const SHORTER_TRIES_MAX = 4;

/** The parser recovers from anything but nesting that exhausts the stack: then what stands in front of it is read. */
export function parseScript(walk: Walk, text: string): ParsedScript | undefined {
  let rest = parsablePrefix(walk, text);
  for (let tries = 0; tries < SHORTER_TRIES_MAX; tries++) {
    try {
      return parse(rest);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      walk.allowance.cut('shell', 'nesting');
      walk.parseErrorsCount++;
      rest = rest.slice(0, rest.length >> 2);
    }
  }
  return undefined;
}
