const OTHER = 0;
const DIGIT = 1;
export const LETTER = 2;

const KIND = Uint8Array.from({ length: 128 }, (_, code) => {
  const char = String.fromCharCode(code);
  return /[0-9]/.test(char) ? DIGIT : /[A-Za-z]/.test(char) ? LETTER : OTHER;
});

export function isDigitAt(text: string, at: number): boolean {
  return kindAt(text, at) === DIGIT;
}

export function isAlphanumericAt(text: string, at: number): boolean {
  const kind = kindAt(text, at);
  return kind === DIGIT || kind === LETTER;
}

/** The kind of the character at `at`; outside of the text it is of none. */
export function kindAt(text: string, at: number): number {
  // Reading outside of a string makes V8 give up on reading it fast.
  if (at < 0 || at >= text.length) return OTHER;
  const code = text.charCodeAt(at);
  return code < 128 ? (KIND[code] as number) : OTHER;
}
