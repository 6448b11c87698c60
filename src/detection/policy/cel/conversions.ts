import { CelFault, type CelNode } from './ast.ts';
import type { Compiled } from './compiled.ts';
import { type CelType, DOUBLE, DURATION, INT, STRING, TIMESTAMP, typeName } from './types.ts';

/** Parts of a timestamp, in UTC. */
export const TIME_PARTS: ReadonlySet<string> = new Set([
  'getFullYear',
  'getMonth',
  'getDate',
  'getDayOfMonth',
  'getDayOfWeek',
  'getDayOfYear',
  'getHours',
  'getMinutes',
  'getSeconds',
  'getMilliseconds',
]);

type Kind = CelType['kind'];

const CONVERSIONS: ReadonlyMap<string, { to: CelType; from: readonly Kind[] }> = new Map([
  ['timestamp', { to: TIMESTAMP, from: ['string', 'timestamp'] }],
  ['duration', { to: DURATION, from: ['string', 'duration'] }],
  ['string', { to: STRING, from: ['string', 'int', 'double', 'bool', 'timestamp', 'duration'] }],
  ['int', { to: INT, from: ['string', 'int', 'double', 'timestamp'] }],
  ['double', { to: DOUBLE, from: ['string', 'int', 'double'] }],
]);

/** The type that `call` converts to, if it is a conversion. */
export function conversionType(call: CelNode & { kind: 'call' }, args: readonly Compiled[]): CelType | undefined {
  const conversion = CONVERSIONS.get(call.name);
  if (conversion === undefined) return undefined;
  const [arg] = args;
  if (arg === undefined || args.length !== 1) throw new CelFault(call.at, `${call.name}() takes one value`);
  if (!conversion.from.includes(arg.type.kind)) {
    throw new CelFault(call.at, `a ${typeName(arg.type)} cannot be converted by ${call.name}()`);
  }
  return conversion.to;
}
