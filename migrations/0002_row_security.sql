-- Tenants are kept apart here, whatever a query forgets (P6). Two roles:
--   the owner of the tables migrates, and does what is the service's own work for all tenants (the projector, sign-in);
--   gatehouse_app does what people ask for. It sees the rows of one tenant: the one its transaction is set to.
DO $$
BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'gatehouse_app') THEN
    CREATE ROLE gatehouse_app NOLOGIN NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE;
  END IF;
EXCEPTION
  -- Another database of this cluster is being migrated at the same time.
  WHEN duplicate_object OR unique_violation THEN NULL;
  WHEN insufficient_privilege THEN
    RAISE EXCEPTION 'the role % may not create roles', current_user
      USING HINT = format('let an administrator run: CREATE ROLE gatehouse_app NOLOGIN; GRANT gatehouse_app TO %I', current_user);
END
$$;
--> statement-breakpoint
DO $$
BEGIN
  IF NOT pg_has_role(current_user, 'gatehouse_app', 'SET') THEN
    EXECUTE format('GRANT gatehouse_app TO %I WITH SET TRUE', current_user);
  END IF;
END
$$;
--> statement-breakpoint
CREATE FUNCTION current_tenant() RETURNS uuid LANGUAGE sql STABLE PARALLEL SAFE
  RETURN nullif(current_setting('app.tenant_id', true), '')::uuid;
--> statement-breakpoint
CREATE FUNCTION current_person() RETURNS uuid LANGUAGE sql STABLE PARALLEL SAFE
  RETURN nullif(current_setting('app.user_id', true), '')::uuid;
--> statement-breakpoint
-- Every table: forced, so that its owner too sees only what a policy says.
DO $$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY[
    'organizations', 'users', 'tenants', 'memberships', 'login_sessions', 'magic_links',
    'agents', 'agent_sessions', 'agent_shares', 'events', 'decisions', 'inspections', 'quarantine',
    'access_tokens', 'trusted_issuers', 'token_revocations', 'projector_positions',
    'sso_connections', 'user_identities', 'verified_domains', 'pending_sign_ins', 'used_assertions', 'audit_log'
  ] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY service ON %I TO %I USING (true) WITH CHECK (true)', name, current_user);
  END LOOP;
END
$$;
--> statement-breakpoint
-- What a tenant's people may see of it and write to it; the grants below say which of the two.
DO $$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY[
    'memberships', 'agents', 'agent_sessions', 'agent_shares', 'events', 'decisions', 'inspections',
    'access_tokens', 'trusted_issuers', 'sso_connections', 'user_identities', 'verified_domains', 'audit_log'
  ] LOOP
    EXECUTE format(
      'CREATE POLICY tenant ON %I TO gatehouse_app USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant())',
      name
    );
  END LOOP;
END
$$;
--> statement-breakpoint
CREATE POLICY tenant ON tenants TO gatehouse_app USING (id = current_tenant()) WITH CHECK (id = current_tenant());
--> statement-breakpoint
CREATE POLICY own ON memberships FOR SELECT TO gatehouse_app USING (user_id = current_person());
--> statement-breakpoint
CREATE POLICY members ON users FOR SELECT TO gatehouse_app USING (
  id = current_person() OR EXISTS (SELECT FROM memberships m WHERE m.tenant_id = current_tenant() AND m.user_id = users.id)
);
--> statement-breakpoint
CREATE POLICY of_tenant ON organizations FOR SELECT TO gatehouse_app USING (
  EXISTS (SELECT FROM tenants t WHERE t.organization_id = organizations.id)
);
--> statement-breakpoint
-- Agents of other tenants that are shared with this one, and what they did: to be read, never to be written.
CREATE POLICY guest ON agent_shares FOR SELECT TO gatehouse_app USING (shared_with = current_tenant());
--> statement-breakpoint
CREATE POLICY guest ON agents FOR SELECT TO gatehouse_app USING (
  EXISTS (
    SELECT FROM agent_shares s
    WHERE s.tenant_id = agents.tenant_id AND s.agent_key = agents.agent_key AND s.shared_with = current_tenant()
  )
);
--> statement-breakpoint
CREATE POLICY guest ON agent_sessions FOR SELECT TO gatehouse_app USING (
  EXISTS (
    SELECT FROM agent_shares s
    WHERE s.tenant_id = agent_sessions.tenant_id AND s.agent_key = agent_sessions.agent_key AND s.shared_with = current_tenant()
  )
);
--> statement-breakpoint
CREATE POLICY guest ON events FOR SELECT TO gatehouse_app USING (
  EXISTS (
    SELECT FROM agent_shares s
    WHERE s.tenant_id = events.tenant_id AND s.agent_key = events.agent_key AND s.shared_with = current_tenant()
  )
);
--> statement-breakpoint
-- The rows of `events` that this sees are those that its own policies show.
CREATE POLICY guest ON decisions FOR SELECT TO gatehouse_app USING (EXISTS (SELECT FROM events e WHERE e.id = decisions.id));
--> statement-breakpoint
CREATE POLICY guest ON inspections FOR SELECT TO gatehouse_app USING (EXISTS (SELECT FROM events e WHERE e.id = inspections.id));
--> statement-breakpoint
GRANT SELECT ON organizations, users, tenants, memberships, agents, agent_sessions, agent_shares, events, decisions, inspections,
  access_tokens, trusted_issuers, sso_connections, user_identities, verified_domains, audit_log TO gatehouse_app;
--> statement-breakpoint
GRANT UPDATE (name, on_failure) ON tenants TO gatehouse_app;
--> statement-breakpoint
GRANT INSERT, UPDATE (roles), DELETE ON memberships TO gatehouse_app;
--> statement-breakpoint
GRANT INSERT, UPDATE (permission), DELETE ON agent_shares TO gatehouse_app;
--> statement-breakpoint
GRANT INSERT, UPDATE (revoked_at) ON access_tokens TO gatehouse_app;
--> statement-breakpoint
GRANT INSERT, DELETE ON trusted_issuers TO gatehouse_app;
--> statement-breakpoint
GRANT INSERT, UPDATE (name, state, settings, updated_at), DELETE ON sso_connections TO gatehouse_app;
--> statement-breakpoint
GRANT INSERT, UPDATE (connection_id), DELETE ON verified_domains TO gatehouse_app;
--> statement-breakpoint
GRANT INSERT ON audit_log TO gatehouse_app;
--> statement-breakpoint
CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'entries of % are never changed or taken away', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END
$$;
--> statement-breakpoint
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON audit_log FOR EACH ROW EXECUTE FUNCTION refuse_change();
--> statement-breakpoint
CREATE TRIGGER append_only_whole BEFORE TRUNCATE ON audit_log FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
