/** Ways to write text as digits and letters that are read back. */
export const NOTATIONS = ['base64', 'hex', 'decimal', 'base32'] as const;
export type Notation = (typeof NOTATIONS)[number];

/** How a remembered value was written where it was found again. `decoded`: in a reading that the normalizer decoded.
 * `file`: in a file that is known to hold it. */
export const FLOW_ENCODINGS = ['plain', ...NOTATIONS, 'reversed', 'rot13', 'decoded', 'file'] as const;
export type FlowEncoding = (typeof FLOW_ENCODINGS)[number];
