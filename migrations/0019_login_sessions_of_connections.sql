-- Whoever changes a connection ends the login sessions that it began, in the same transaction: those of the tenant's own connections,
-- of which nothing else is seen.
CREATE POLICY of_connection ON login_sessions TO gatehouse_app USING (
  EXISTS (SELECT FROM sso_connections c WHERE c.id = login_sessions.connection_id AND c.tenant_id = current_tenant())
);
--> statement-breakpoint
GRANT SELECT (id, connection_id, ended_at), UPDATE (ended_at) ON login_sessions TO gatehouse_app;
