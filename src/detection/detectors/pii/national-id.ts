import type { PiiFormat } from './format.ts';

/** How a number is written, and how sure it is where. */
type Written = Pick<PiiFormat, 'shapes' | 'valid'> & Partial<Omit<PiiFormat, 'what' | 'title' | 'words'>>;

/** A number that a state gives to a person. `words` are separated by `|`. */
export function id(what: string, title: string, words: string, written: Written): PiiFormat {
  const defaults = { severity: 'high', separators: '- ./', alone: 0, bare: 0, whole: 0.4, near: 0.9 } as const;
  return { what, title, words: words.split('|'), ...defaults, ...written };
}

export const last = (text: string): number => text.charCodeAt(text.length - 1) - 48;
export const sameDigits = (text: string): boolean => /^(\d)\1*$/.test(text);
