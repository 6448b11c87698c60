/**
 * A row for a statement that reads rows of `Columns`, as `json_to_recordset` is told them (`id uuid, s uuid`): a name that one of the two does not have
 * would be a null in the database, without a word.
 */
export type RowOf<Columns extends string> = { [Name in NameIn<Columns>]: unknown };

type NameIn<Columns extends string> = Columns extends `${infer First}, ${infer Rest}`
  ? NameIn<First> | NameIn<Rest>
  : Columns extends `${infer Name} ${string}`
    ? Name
    : never;
