-- Whether the tenant of the transaction may judge the finding, though it is another's: its agent is shared with it to be managed.
-- A function of its own, so that it is looked up row by row: no plan may read whole days for it.
CREATE FUNCTION manages_finding(owner uuid, event uuid, number smallint) RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT EXISTS (
    SELECT FROM findings f JOIN agent_shares s ON s.tenant_id = f.tenant_id AND s.agent_key = f.agent_key
    WHERE f.event_id = event AND f.n = number AND f.tenant_id = owner
      AND s.shared_with = current_tenant() AND s.permission = 'manage'
  )
$$;--> statement-breakpoint
CREATE POLICY manager_reads ON finding_triage FOR SELECT TO gatehouse_app
  USING (tenant_id <> current_tenant() AND manages_finding(tenant_id, event_id, n));--> statement-breakpoint
-- What a guest writes, it writes in its own name.
CREATE POLICY manager_writes ON finding_triage FOR INSERT TO gatehouse_app
  WITH CHECK (tenant_id <> current_tenant() AND manages_finding(tenant_id, event_id, n) AND assignee IS NULL
    AND changed_by = 'tenant:' || current_tenant());--> statement-breakpoint
CREATE POLICY manager_changes ON finding_triage FOR UPDATE TO gatehouse_app
  USING (tenant_id <> current_tenant() AND manages_finding(tenant_id, event_id, n))
  WITH CHECK (tenant_id <> current_tenant() AND manages_finding(tenant_id, event_id, n)
    AND changed_by = 'tenant:' || current_tenant());
