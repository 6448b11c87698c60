ALTER TABLE "decisions" DROP CONSTRAINT "decisions_tenant_id_tenants_id_fk";
--> statement-breakpoint
ALTER TABLE "events" DROP CONSTRAINT "events_tenant_id_tenants_id_fk";
