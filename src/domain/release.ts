import Type from 'typebox';
import { Compile } from 'typebox/compile';
import { type Fault, faultsOf, IDENTIFIER_CHARS_MAX } from './event.ts';

/** Taints that one release may name, and UTF-16 code units of its reason. */
export const RELEASE_TAINTS_MAX = 64;
export const RELEASE_REASON_CHARS_MAX = 1024;

/** The body of `POST /v1/sessions/release`. */
export const ReleaseSchema = Type.Object(
  {
    session_id: Type.String({ maxLength: IDENTIFIER_CHARS_MAX, description: 'As the sensor sends it.' }),
    hold: Type.Optional(Type.Boolean({ description: 'Whether the hold ends; true where no taints are named.' })),
    taints: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
        maxItems: RELEASE_TAINTS_MAX,
        description: 'Labels of the taints that end.',
      }),
    ),
    reason: Type.String({
      minLength: 1,
      maxLength: RELEASE_REASON_CHARS_MAX,
      pattern: '\\S',
      description: 'Why, for whoever asks later.',
    }),
  },
  { title: 'Release', additionalProperties: false },
);
export type ReleaseRequest = Type.Static<typeof ReleaseSchema>;

const validator = Compile(ReleaseSchema);

/** Checks a parsed JSON value against the schema. */
export function parseRelease(value: unknown): { ok: true; release: ReleaseRequest } | { ok: false; faults: Fault[] } {
  if (validator.Check(value)) return { ok: true, release: value };
  return { ok: false, faults: faultsOf(validator, value) };
}
