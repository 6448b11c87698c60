-- Tokens that were minted with another one before that was kept: the audit log tells with which, and so who is behind them.
UPDATE access_tokens child SET parent_id = substr(told.actor, length('token:') + 1)
FROM audit_log told
WHERE child.parent_id IS NULL AND told.tenant_id = child.tenant_id AND told.action = 'token.minted'
  AND told.target = child.token_id AND told.actor LIKE 'token:%';
--> statement-breakpoint
WITH RECURSIVE behind (token_id, person) AS (
  SELECT token_id, created_by FROM access_tokens WHERE created_by IS NOT NULL
  UNION
  SELECT child.token_id, behind.person FROM access_tokens child JOIN behind ON child.parent_id = behind.token_id
  WHERE child.created_by IS NULL
)
UPDATE access_tokens child SET created_by = behind.person
FROM behind WHERE behind.token_id = child.token_id AND child.created_by IS NULL;
