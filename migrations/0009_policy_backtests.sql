CREATE TABLE "policy_backtests" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"tenant_id" uuid NOT NULL,
	"version" integer,
	"hash" text NOT NULL,
	"since" timestamp with time zone NOT NULL,
	"until" timestamp with time zone NOT NULL,
	"state" text DEFAULT 'running' NOT NULL,
	"started_by" text NOT NULL,
	"started_at" timestamp with time zone DEFAULT now() NOT NULL,
	"ended_at" timestamp with time zone,
	"sessions_count" integer DEFAULT 0 NOT NULL,
	"sessions_done" integer DEFAULT 0 NOT NULL,
	"sessions_left_out" integer DEFAULT 0 NOT NULL,
	"events_done" integer DEFAULT 0 NOT NULL,
	"decisions_done" integer DEFAULT 0 NOT NULL,
	"newly_blocked" integer DEFAULT 0 NOT NULL,
	"newly_allowed" integer DEFAULT 0 NOT NULL,
	"differences" text DEFAULT '[]' NOT NULL,
	CONSTRAINT "policy_backtests_state_known" CHECK ("policy_backtests"."state" in ('running', 'done', 'cancelled', 'failed'))
);
--> statement-breakpoint
ALTER TABLE "policy_backtests" ADD CONSTRAINT "policy_backtests_tenant_id_tenants_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "policy_backtests_by_time" ON "policy_backtests" USING btree ("tenant_id","started_at" DESC NULLS LAST);--> statement-breakpoint
ALTER TABLE "policy_backtests" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "policy_backtests" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE POLICY service ON "policy_backtests" TO CURRENT_USER USING (true) WITH CHECK (true);--> statement-breakpoint
CREATE POLICY tenant ON "policy_backtests" TO gatehouse_app USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant());--> statement-breakpoint
GRANT SELECT, INSERT, UPDATE, DELETE ON "policy_backtests" TO gatehouse_app;
