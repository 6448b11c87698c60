-- A guest may give back what it was given, and change nothing else about it.
CREATE POLICY guest_leaves ON agent_shares FOR DELETE TO gatehouse_app USING (shared_with = current_tenant());
