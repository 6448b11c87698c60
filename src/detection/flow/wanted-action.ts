/** What somebody wants done, in the coarse terms in which a request and a tool's name can be compared. */
export type Action =
  | 'message'
  | 'share'
  | 'pay'
  | 'trade'
  | 'delete'
  | 'publish'
  | 'change'
  | 'secure'
  | 'create'
  | 'book'
  | 'control'
  | 'run'
  /** To keep an attacker out: next to nothing else wants it. */
  | 'defend';
