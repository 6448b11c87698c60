/** Whether PostgreSQL refused a statement for `constraint`. Drizzle hands on its error as the cause of its own. */
export function violates(error: unknown, constraint: string): boolean {
  for (let at = error; at instanceof Error; at = at.cause) {
    if ((at as { constraint_name?: unknown }).constraint_name === constraint) return true;
  }
  return false;
}
