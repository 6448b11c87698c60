const JSON_TYPE = 'application/json';

/** Whether a body of this content type is JSON: `application/json`, with or without parameters. */
export function isJsonType(contentType: string | undefined): boolean {
  return contentType === JSON_TYPE || /^application\/json\s*(?:;|$)/i.test(contentType ?? '');
}
